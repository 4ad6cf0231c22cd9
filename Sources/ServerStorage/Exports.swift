// `ServerValues` is re-exported, because this module's interface uses its types, for example for instants and rate limits.
@_exported import ServerValues
