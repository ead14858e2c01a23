import { error, warning } from "./code-entry.ts";

/** What is wrong with what a script declares. */
export const definitionCodes = {
  definition_invalid: error(
    "The declaration has a part that is missing, of the wrong kind, or not known.",
    "Write the declaration as docs/authoring.md shows it.",
    {
      bad: `workflow({ name: "a", consumer: {} })`,
      good: `workflow({ name: "a", consumers: {} })`,
    },
  ),
  name_invalid: error(
    "A name is empty, too long, taken, like a number, or has characters that names may not have.",
    "Begin with a letter and use letters, digits, dots, dashes and underscores.",
    { bad: `topics: { "1": {} }`, good: `topics: { "order.received": {} }` },
  ),
  schema_invalid: error(
    "A schema is not one of the types that values can be checked against.",
    "Build schemas with the SDK's builders.",
    { bad: `schema: { type: "float" }`, good: `schema: { type: "record", fields: { … } }` },
  ),
  invalid_schedule: error(
    "A handler's schedule cannot be read, never fires, or stands beside another way to start.",
    'Give exactly one of interval ("5m") and cron ("0 9 * * *"), with a known time zone.',
    { bad: `schedule: { interval: "5 min" }`, good: `schedule: { interval: "5m" }` },
  ),
  handler_missing: error(
    "A handler lacks the function that makes it one.",
    "Producers and jobs need `handler`, consumers need `prepare`, machines need `step`.",
    { bad: `consumer({ subscribe: ["a"] })`, good: `consumer({ subscribe: ["a"], prepare })` },
  ),
  machine_set: error(
    "The machines cannot be run: their schemas, subscriptions, keys or effects do not fit.",
    "See docs/machines.md; name effects as `<connector>/<operation>@<n>` that this host has.",
    { bad: `effects: ["http.post"]`, good: `effects: ["http/post@1"]` },
  ),
  no_handler: error(
    "The workflow has nothing that could ever run.",
    "Declare at least one producer, consumer, job or machine.",
    { bad: `workflow({ name: "a", topics: {} })`, good: `workflow({ …, producers: { poll } })` },
  ),
  publish_without_next: error(
    "A consumer declares `publishes` but has no `next`, the only phase that may publish.",
    "Add `next` and publish there, or remove `publishes`.",
    {
      bad: 'consumer({ publishes: ["b"], prepare })',
      good: "consumer({ publishes, prepare, next })",
    },
  ),
  undeclared_topic: error(
    "A topic is used that `topics` does not declare.",
    "Declare it in `topics`, or correct its name.",
    { bad: `ctx.publish("order.recieved", e)`, good: `ctx.publish("order.received", e)` },
  ),
  topic_not_in_publishes: error(
    "A handler publishes to a topic that its `publishes` leaves out.",
    "Add the topic to the handler's `publishes`.",
    { bad: `publishes: ["a"], … ctx.publish("b", e)`, good: `publishes: ["a", "b"]` },
  ),
  topic_not_subscribed: error(
    "A consumer looks at, or reserves from, a topic that it does not subscribe to.",
    "Add the topic to `subscribe`, or carry the data in the events it does get.",
    { bad: `subscribe: ["a"], … ctx.peek("b")`, good: `subscribe: ["a", "b"]` },
  ),
  second_consumer: error(
    "A topic has more than one consumer or job; its events are for one of them only.",
    "Publish to a second topic, or do both in one consumer; machines may subscribe besides.",
    { bad: `a: { subscribe: ["t"] }, b: { subscribe: ["t"] }`, good: `b: { subscribe: ["t2"] }` },
  ),
  orphan_topic: error(
    "A topic is published but nobody subscribes to it, so its events would wait for ever.",
    "Subscribe a consumer, job or machine, or declare the topic { observed: true }.",
    {
      bad: `topics: { "order.booked": {} }`,
      good: `topics: { "order.booked": { observed: true } }`,
    },
  ),
  topic_never_published: warning(
    "A topic is declared but no handler publishes to it.",
    "Remove it, or publish to it; ignore this if its events come from people or the API.",
    { bad: `topics: { "a": {}, "unused": {} }`, good: `topics: { "a": {} }` },
  ),
  unreachable_handler: warning(
    "No handler publishes to any topic that this one subscribes to.",
    "Publish to one of its topics; ignore this if their events come from people or the API.",
    { bad: `subscribe: ["never.published"]`, good: `subscribe: ["order.received"]` },
  ),
  manual_only: warning(
    "A producer or job has no schedule, webhook or topic: it runs only when a person starts it.",
    "Give it a schedule, or say `manual: true`.",
    {
      bad: "producers: { async poll(ctx) { … } }",
      good: `poll: { schedule: { interval: "5m" }, … }`,
    },
  ),
  machine_topic_schema: error(
    "A machine subscribes to a topic without a schema, or with json in it.",
    "Declare the topic's schema with exact types; a machine's events must be the same everywhere.",
    { bad: `topics: { "paid": {} }`, good: `topics: { "paid": { schema: … } }` },
  ),
  unknown_connection: error(
    "Neither the script nor the workspace has a connection of that name.",
    "Declare it in `connections`, or correct the name.",
    { bad: "await ctx.shpo.getOrder(…)", good: "await ctx.shop.getOrder(…)" },
  ),
  workspace_connection: warning(
    "A connection is used that `connections` does not declare; the workspace's one is taken.",
    "Declare it in `connections` with its connector and account.",
    { bad: "ctx.gmail.search(…)", good: `connections: { gmail: { connector: "gmail", account } }` },
  ),
  undeclared_operation: error(
    "The connector has no operation of that name.",
    "Use one of the connector's operations.",
    { bad: "ctx.shop.getOrdr(…)", good: "ctx.shop.getOrder(…)" },
  ),
} as const;
