// The type of the option `proxy`. It is re-exported, so that users of this module need no other import.
@_exported import struct TransportCommon.HTTPProxy
