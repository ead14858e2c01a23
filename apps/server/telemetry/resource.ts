import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win. */
export function resourceOfHost(): Resource {
  const own = resourceFromAttributes({ "service.name": "holdfast", "process.pid": process.pid });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}
