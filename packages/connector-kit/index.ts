export {
  type AdmittedCall,
  type Connected,
  type ConnectedOperation,
  type Connector,
  type ConnectorDefinition,
  defineConnector,
  isConnector,
  type Keeping,
  type Operation,
  type OperationCall,
  type PayloadComparison,
  type ReconcileCall,
  type Reconciled,
} from "./connector.ts";
export {
  type Committed,
  ConnectorError,
  type ConnectorErrorClass,
  NotSent,
} from "./connector-error.ts";
export type { Declared, Scope } from "./declared.ts";
export type { ExactForm } from "./exact-form.ts";
export {
  type ForeseenGuarantee,
  type ForeseenLabel,
  type Guarantee,
  type GuaranteeLabel,
  labelOf,
  noGuarantee,
} from "./guarantee.ts";
export { type Hide, hideInValue, hiding } from "./hide.ts";
export { type GivenToken, RenewedToken } from "./renewed-token.ts";
