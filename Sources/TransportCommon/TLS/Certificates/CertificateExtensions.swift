/// The extensions of a certificate that this package evaluates (RFC 5280, 4.2).
struct CertificateExtensions {
    typealias Bytes = ArraySlice<UInt8>

    /// The basic constraints of a certificate authority. Nil without the extension, and when it states that the certificate is not an
    /// authority's.
    private(set) var authority: Authority?
    /// The first byte of the key usage; the byte's highest bit is `digitalSignature`. Nil without the extension.
    private(set) var keyUsage: UInt8?
    /// The encoded purposes in the extended key usage; nil without the extension.
    private(set) var purposes: [Bytes]?
    private(set) var alternativeNames: [AlternativeName] = []
    private(set) var nameConstraints: NameConstraints?
    /// Whether the certificate has a critical extension that this package does not know, so that it must be refused.
    private(set) var hasUnknownCritical = false

    struct Authority: Hashable {
        /// The largest number of intermediate authorities below this one, without self-issued ones; nil for no limit.
        var pathLength: Int?
    }

    static let digitalSignature: UInt8 = 0x80
    static let keyEncipherment: UInt8 = 0x20
    static let certificateSigning: UInt8 = 0x04

    init() {}

    init(_ list: DERReader) throws(DERReader.Malformed) {
        var outer = list
        var list = try outer.sequence()
        try outer.end()
        var seen: Set<[UInt8]> = []
        while !list.isAtEnd {
            var entry = try list.sequence()
            let name = Array(try entry.next(DERReader.Tag.object).content)
            let isCritical = try Self.truth(&entry)
            let value = DERReader(try entry.next(DERReader.Tag.octetString).content)
            try entry.end()
            guard seen.insert(name).inserted else { throw DERReader.Malformed() }
            // 2.5.29.x: id-ce.
            let number = name.count == 3 && name.starts(with: [0x55, 0x1D]) ? name[2] : 0
            try read(number, value, isCritical: isCritical)
        }
    }

    private mutating func read(_ number: UInt8, _ value: DERReader, isCritical: Bool) throws(DERReader.Malformed) {
        var value = value
        switch number {
        case 15:
            let bits = try value.next(DERReader.Tag.bitString).content
            guard bits.count >= 2 else { throw DERReader.Malformed() }
            // in bounds: the guard above requires at least two bytes.
            keyUsage = bits[bits.startIndex + 1]
        case 17:
            var names = try value.sequence()
            while !names.isAtEnd { alternativeNames.append(AlternativeName(try names.next())) }
        case 19: authority = try Self.authority(&value)
        case 30: nameConstraints = try NameConstraints(value.sequence())
        // Certificate policies are ignored, because no policy is required.
        case 32: return
        case 37:
            var list = try value.sequence()
            var purposes: [Bytes] = []
            while !list.isAtEnd { purposes.append(try list.next(DERReader.Tag.object).content) }
            self.purposes = purposes
        default:
            if isCritical { hasUnknownCritical = true }
            return
        }
        // Further bytes after the value of an extension are refused, because they would not be checked.
        try value.end()
    }

    /// Parses a boolean whose default is false. Only the two encodings of DER are accepted, because other parsers might take other bytes
    /// for true.
    private static func truth(_ reader: inout DERReader) throws(DERReader.Malformed) -> Bool {
        guard let value = try reader.nextIfPresent(DERReader.Tag.boolean) else { return false }
        switch Array(value.content) {
        case [0xFF]: return true
        case [0x00]: return false
        default: throw DERReader.Malformed()
        }
    }

    private static func authority(_ value: inout DERReader) throws(DERReader.Malformed) -> Authority? {
        var inner = try value.sequence()
        let isAuthority = try truth(&inner)
        let length = try inner.nextIfPresent(DERReader.Tag.integer)?.content
        try inner.end()
        guard isAuthority else { return nil }
        guard let length else { return Authority(pathLength: nil) }
        guard let first = length.first, first < 0x80 else { throw DERReader.Malformed() }
        return Authority(pathLength: length.count == 1 ? Int(first) : .max)
    }

    /// Whether the certificate may be used by servers: it has no extended key usage, or one that allows servers (RFC 5280, 4.2.1.12).
    var servesServers: Bool {
        guard let purposes else { return true }
        let server: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 1]
        let any: [UInt8] = [0x55, 0x1D, 0x25, 0]
        return purposes.contains { $0.elementsEqual(server) || $0.elementsEqual(any) }
    }
}

/// An alternative name of a certificate's subject (RFC 5280, 4.2.1.6).
enum AlternativeName: Hashable {
    case host(String)
    /// An IP address of four or sixteen bytes.
    case address([UInt8])
    /// An alternative name of any other kind, as the DER tag of its kind.
    case other(UInt8)

    init(_ value: DERReader.Value) {
        switch value.tag {
        case DERReader.Tag.primitive(2) where value.content.allSatisfy({ $0 > 0x20 && $0 < 0x7F }):
            self = .host(String(decoding: value.content, as: UTF8.self))
        case DERReader.Tag.primitive(7) where value.content.count == 4 || value.content.count == 16:
            self = .address(Array(value.content))
        default: self = .other(value.tag)
        }
    }
}
