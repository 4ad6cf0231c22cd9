// Instants, growing ids, rate limiters and sets of event loops are part of this module's interface.
@_exported import ServerValues
