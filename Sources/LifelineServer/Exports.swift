// Re-exported, because these types are part of this module's interface.
@_exported import enum ServerRuntime.CertificateError
@_exported import struct ServerRuntime.CertificateFiles
@_exported import struct ServerRuntime.ServerClock
