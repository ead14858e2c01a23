export {
  type AdmittedCall,
  type Connected,
  type ConnectedOperation,
  type Connector,
  type ConnectorDefinition,
  defineConnector,
  type Operation,
  type OperationCall,
} from "./connector.ts";
export {
  type Committed,
  ConnectorError,
  type ConnectorErrorClass,
  NotSent,
} from "./connector-error.ts";
