// The types of connection statuses, which all services share. They are re-exported from the engine, so that users of this module need no
// other import.
@_exported import struct ConnectionEngine.ConnectionFailure
@_exported import enum ConnectionEngine.ConnectionPhase
@_exported import struct ConnectionEngine.InvalidRetryPolicy
@_exported import enum ConnectionEngine.Liveness
@_exported import struct ConnectionEngine.Moment
@_exported import enum ConnectionEngine.NetworkStatus
@_exported import struct ConnectionEngine.RetryBackoff
@_exported import enum ConnectionEngine.RetryJitter
@_exported import struct ConnectionEngine.RetryPolicy
@_exported import struct ConnectionEngine.StatusCategory
// The type of the option `ClientOptions.metrics`.
@_exported import struct EngineRuntime.ClientMetrics
// The types of the network options, which all services share.
@_exported import struct TransportCommon.CertificatePins
@_exported import struct TransportCommon.ClientCertificate
@_exported import enum TransportCommon.ClientCertificateError
@_exported import struct TransportCommon.HTTPProxy
@_exported import struct TransportCommon.NetworkPaths
