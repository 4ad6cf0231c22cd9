// How connections reach the service; users of this module need no other import.
@_exported import struct TransportCommon.HTTPProxy
