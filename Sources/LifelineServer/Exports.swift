// These types are re-exported, because they are part of this module's interface.
@_exported import enum ServerRuntime.CertificateError
@_exported import struct ServerRuntime.CertificateFiles
@_exported import struct ServerRuntime.ServerClock
