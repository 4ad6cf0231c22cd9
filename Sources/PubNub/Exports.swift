// Settings and failure categories that all clients of this package share.
@_exported import struct ConnectionEngine.InvalidRetryPolicy
@_exported import enum ConnectionEngine.Liveness
@_exported import struct ConnectionEngine.RetryBackoff
@_exported import enum ConnectionEngine.RetryJitter
@_exported import struct ConnectionEngine.RetryPolicy
@_exported import struct ConnectionEngine.StatusCategory
@_exported import struct EngineRuntime.ClientMetrics
@_exported import struct TransportCommon.ClientCertificate
@_exported import enum TransportCommon.ClientCertificateError
@_exported import struct TransportCommon.NetworkPaths
