/// The fields of a certificate that this package checks (RFC 5280, 4.1). The TLS library does not expose most of them.
struct CertificateContent {
    typealias Bytes = ArraySlice<UInt8>

    /// The bytes of the signed part of the certificate.
    private(set) var signedPart: Bytes = []
    private(set) var signatureAlgorithm: SignatureAlgorithm?
    private(set) var signature: Bytes = []
    private(set) var isVersion1 = false
    /// The DER encoding of the issuer's name. Names are compared by the bytes of their encodings, for example the issuer of one certificate
    /// with the ``subject`` of another one.
    private(set) var issuer: Bytes = []
    private(set) var subject: Bytes = []
    /// The period of validity, in seconds since 1970, including its first and last second.
    private(set) var validity: ClosedRange<Int64> = 0...0
    /// `SubjectPublicKeyInfo`, unchanged.
    private(set) var key: Bytes = []
    private(set) var extensions = CertificateExtensions()

    /// Parses a certificate.
    ///
    /// - Throws: `DERReader.Malformed` for bytes that are not a certificate. Unknown algorithms do not throw.
    init(der: [UInt8]) throws(DERReader.Malformed) {
        var file = DERReader(der[...])
        var certificate = try file.sequence()
        try file.end()
        let signed = try certificate.next(DERReader.Tag.sequence)
        signedPart = signed.encoded
        let algorithm = try certificate.next(DERReader.Tag.sequence)
        signature = try Self.bits(certificate.next(DERReader.Tag.bitString))
        try certificate.end()
        try read(signed.inner, algorithm: algorithm)
    }

    private mutating func read(_ reader: DERReader, algorithm: DERReader.Value) throws(DERReader.Malformed) {
        var reader = reader
        if let version = try reader.nextIfPresent(DERReader.Tag.constructed(0)) {
            var inner = version.inner
            isVersion1 = try inner.next(DERReader.Tag.integer).content.elementsEqual([0])
        } else {
            isVersion1 = true
        }
        _ = try reader.next(DERReader.Tag.integer)
        // A certificate states its signature algorithm inside and outside of the signed part; both statements must be equal.
        let inner = try reader.next(DERReader.Tag.sequence)
        guard inner.encoded.elementsEqual(algorithm.encoded) else { throw DERReader.Malformed() }
        signatureAlgorithm = try SignatureAlgorithm(inner)
        issuer = try reader.next(DERReader.Tag.sequence).content
        var times = try reader.sequence()
        let (first, last) = (try CertificateTime.read(&times), try CertificateTime.read(&times))
        try times.end()
        guard first <= last else { throw DERReader.Malformed() }
        validity = first...last
        subject = try reader.next(DERReader.Tag.sequence).content
        key = try reader.next(DERReader.Tag.sequence).encoded
        _ = try reader.nextIfPresent(DERReader.Tag.primitive(1))
        _ = try reader.nextIfPresent(DERReader.Tag.primitive(2))
        if let list = try reader.nextIfPresent(DERReader.Tag.constructed(3)) {
            if isVersion1 { throw DERReader.Malformed() }
            extensions = try CertificateExtensions(list.inner)
        }
        try reader.end()
    }

    /// The content of a bit string. Throws unless its length is a multiple of 8 bits.
    static func bits(_ value: DERReader.Value) throws(DERReader.Malformed) -> Bytes {
        guard value.content.first == 0 else { throw DERReader.Malformed() }
        return value.content.dropFirst()
    }

    /// Whether the certificate names itself as its issuer.
    var isSelfIssued: Bool { issuer.elementsEqual(subject) }
}

/// Parses the times in certificates (RFC 5280, 4.1.2.5), which are whole seconds in UTC.
enum CertificateTime {
    static func read(_ reader: inout DERReader) throws(DERReader.Malformed) -> Int64 {
        let value = try reader.next()
        guard value.content.last == UInt8(ascii: "Z") else { throw DERReader.Malformed() }
        var digits: [Int64] = []
        for byte in value.content.dropLast() {
            guard (0x30...0x39).contains(byte) else { throw DERReader.Malformed() }
            digits.append(Int64(byte - 0x30))
        }
        switch (value.tag, digits.count) {
        case (DERReader.Tag.generalizedTime, 14): break
        // A year of two digits stands for 1950 to 2049.
        case (DERReader.Tag.utcTime, 12): digits = (digits[0] >= 5 ? [1, 9] : [2, 0]) + digits
        default: throw DERReader.Malformed()
        }
        func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
        let (month, day, hour, minute, second) = (number(4..<6), number(6..<8), number(8..<10), number(10..<12), number(12..<14))
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else {
            throw DERReader.Malformed()
        }
        return HTTPDate.days(year: number(0..<4), month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }
}
