/// Why a body cannot be compressed or decompressed. The error contains no part of the body, so it is safe to log.
public enum CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The body is not compressed as gzip, zlib or deflate, or is damaged.
    case damaged
    /// The body ends before the compressed data is complete.
    case truncated
    /// The body contains more bytes after the end of the compressed data.
    case trailingBytes
    /// The decompressed content is longer than the caller of `inflate` allows.
    case tooLong
    /// The zlib stream could not be set up, usually for lack of memory.
    case unavailable

    public var description: String {
        switch self {
        case .damaged: "The body is damaged, or is not compressed as gzip, zlib or deflate."
        case .truncated: "The body is incomplete: it ends within the compressed data."
        case .trailingBytes: "The body contains extra bytes after the compressed data."
        case .tooLong: "The decompressed body exceeds the receiver's size limit. Send a smaller body."
        case .unavailable: "The body could not be compressed or decompressed, because memory is short."
        }
    }
}
