// Re-exported, because this module's interface uses instants, growing ids, rate limiters and sets of event loops.
@_exported import ServerValues
