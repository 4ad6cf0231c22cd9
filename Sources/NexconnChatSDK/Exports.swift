// Foundation is exported, because apps that use the SDK need its types, such as `NSObject` and `URL`.
@_exported import Foundation

// Types of settings that all clients of this package share, and the categories of failures.
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
