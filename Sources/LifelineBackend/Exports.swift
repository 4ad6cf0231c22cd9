// The type of the network options; users of this module need no other import.
@_exported import struct TransportCommon.HTTPProxy
