/// Why a compressed body cannot be opened. Holds no part of the body, so it is safe to log.
public enum CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not compressed by any of the methods, or damaged.
    case damaged
    /// The body ends before its data does.
    case truncated
    /// Something follows the compressed data.
    case trailingBytes
    /// The content is longer than the limit.
    case tooLong
    /// The library could not be set up: memory is short.
    case unavailable

    public var description: String {
        switch self {
        case .damaged: "The body is not compressed data."
        case .truncated: "The compressed body ends too early."
        case .trailingBytes: "Something follows the compressed body."
        case .tooLong: "The compressed body's content is too long."
        case .unavailable: "The body cannot be decompressed now."
        }
    }
}
