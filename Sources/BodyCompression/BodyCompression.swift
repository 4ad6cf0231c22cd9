import CZlib

/// Compression and decompression of HTTP bodies (rules PN-25 to PN-27).
public enum BodyCompression {
    /// The compression format, recognised from the first bytes of the body. The request's header is ignored, because official SDKs label
    /// zlib streams as gzip or deflate.
    enum Format: Hashable {
        case gzip, zlib, deflate

        init(_ bytes: [UInt8]) {
            let first = bytes.first ?? 0
            let second = bytes.count > 1 ? bytes[1] : 0
            if first == 0x1F, second == 0x8B {
                self = .gzip
            } else if first & 0x0F == 8, first >> 4 <= 7, (UInt16(first) << 8 | UInt16(second)) % 31 == 0 {
                // A zlib header (RFC 1950): method 8, a window of at most 32 KiB, and a check over both bytes. Raw deflate data never
                // begins like this in practice, because it would be a stored block with reserved bits set, which no encoder writes.
                self = .zlib
            } else {
                self = .deflate
            }
        }

        /// The window size in the form of zlib's functions: 16 is added for gzip, and a negative size means raw data.
        var windowBits: Int32 {
            switch self {
            case .gzip: 15 + 16
            case .zlib: 15
            case .deflate: -15
            }
        }
    }

    /// Decompresses a body in the format gzip (RFC 1952), zlib (RFC 1950) or raw deflate (RFC 1951).
    ///
    /// - Parameters:
    ///   - bytes: the complete body.
    ///   - limit: the largest length of the content in bytes. Memory use stays near this limit, however long the content would
    ///     become.
    public static func inflate(_ bytes: [UInt8], limit: Int) throws(CompressionError) -> [UInt8] {
        guard !bytes.isEmpty else { throw .truncated }
        var stream = z_stream()
        let version = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, Format(bytes).windowBits, ZLIB_VERSION, version) == Z_OK else { throw .unavailable }
        defer { inflateEnd(&stream) }
        return try run(&stream, over: bytes, limit: limit, step: { CZlib.inflate(&$0, Z_NO_FLUSH) })
    }

    /// Compresses a body as gzip, for sending.
    public static func gzip(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        var stream = z_stream()
        let version = Int32(MemoryLayout<z_stream>.size)
        let setUp = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Format.gzip.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, version)
        guard setUp == Z_OK else { throw .unavailable }
        defer { deflateEnd(&stream) }
        // The output always stays below this limit, because gzip makes incompressible data only slightly longer.
        return try run(&stream, over: bytes, limit: bytes.count * 2 + 1024, step: { deflate(&$0, Z_FINISH) })
    }

    /// Passes all input bytes through a zlib stream and returns the output.
    private static func run(
        _ stream: inout z_stream, over bytes: [UInt8], limit: Int, step: (inout z_stream) -> Int32
    ) throws(CompressionError) -> [UInt8] {
        var input = bytes
        var out: [UInt8] = []
        let result = input.withUnsafeMutableBufferPointer { input -> Result<Void, CompressionError> in
            // zlib counts in 32 bits. This is no restriction, because all callers limit bodies to far fewer bytes.
            guard let count = UInt32(exactly: input.count) else { return .failure(.tooLong) }
            stream.next_in = input.baseAddress
            stream.avail_in = count
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { chunk in
                while true {
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    let status = step(&stream)
                    let written = chunk.count - Int(stream.avail_out)
                    guard out.count + written <= limit else { return .failure(.tooLong) }
                    // in bounds: `written` is at most the size of the chunk, because zlib never increases `avail_out`.
                    out.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<written]))
                    switch status {
                    case Z_STREAM_END: return stream.avail_in == 0 ? .success(()) : .failure(.trailingBytes)
                    case Z_OK where written > 0 || stream.avail_in > 0: continue
                    case Z_OK, Z_BUF_ERROR: return .failure(.truncated)
                    case Z_MEM_ERROR: return .failure(.unavailable)
                    default: return .failure(.damaged)
                    }
                }
            }
        }
        try result.get()
        return out
    }
}
