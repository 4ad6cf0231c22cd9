/// The name constraints of a certificate authority (RFC 5280, 4.2.1.10).
struct NameConstraints {
    private enum Subtree {
        case host(String)
        /// Address and mask.
        case address([UInt8], [UInt8])
        /// The DER encoding with which the subject names in this subtree begin.
        case subject(ArraySlice<UInt8>)
        case other(UInt8)

        init(_ value: DERReader.Value) throws(DERReader.Malformed) {
            let content = value.content
            switch value.tag {
            case DERReader.Tag.primitive(2): self = .host(String(decoding: content, as: UTF8.self).lowercased())
            case DERReader.Tag.primitive(7):
                guard content.count == 8 || content.count == 32 else { throw DERReader.Malformed() }
                self = .address(Array(content.prefix(content.count / 2)), Array(content.suffix(content.count / 2)))
            case DERReader.Tag.constructed(4):
                var inner = value.inner
                self = .subject(try inner.next(DERReader.Tag.sequence).content)
            default: self = .other(value.tag)
            }
        }
    }

    private var permitted: [Subtree] = []
    private var excluded: [Subtree] = []

    init(_ reader: DERReader) throws(DERReader.Malformed) {
        var reader = reader
        if let list = try reader.nextIfPresent(DERReader.Tag.constructed(0)) { permitted = try Self.subtrees(list.inner) }
        if let list = try reader.nextIfPresent(DERReader.Tag.constructed(1)) { excluded = try Self.subtrees(list.inner) }
        try reader.end()
    }

    private static func subtrees(_ list: DERReader) throws(DERReader.Malformed) -> [Subtree] {
        var (list, subtrees): (DERReader, [Subtree]) = (list, [])
        while !list.isAtEnd {
            var subtree = try list.sequence()
            subtrees.append(try Subtree(subtree.next()))
            // A subtree with the fields `minimum` or `maximum`, which limit the distance from its base, is refused, because RFC 5280 does
            // not use these fields.
            try subtree.end()
        }
        return subtrees
    }

    /// Whether the constraints permit all names of a certificate. A name is not permitted if its kind is constrained and this package does
    /// not support that kind.
    func allow(_ certificate: CertificateContent) -> Bool {
        certificate.extensions.alternativeNames.allSatisfy { isAllowed($0) } && isAllowed(subject: certificate.subject)
    }

    private func isAllowed(_ name: AlternativeName) -> Bool {
        func isOfItsKind(_ subtree: Subtree) -> Bool {
            switch (name, subtree) {
            case (.host, .host), (.address, .address): true
            case (.other(let tag), .other(let other)): tag == other
            case (.other(DERReader.Tag.constructed(4)), .subject): true
            default: false
            }
        }
        let permitted = permitted.filter(isOfItsKind)
        let excluded = excluded.filter(isOfItsKind)
        return (permitted.isEmpty || permitted.contains { Self.contains($0, name) })
            && !excluded.contains { Self.touches($0, name) }
    }

    private func isAllowed(subject: ArraySlice<UInt8>) -> Bool {
        func contains(_ subtree: Subtree) -> Bool? {
            guard case .subject(let start) = subtree else { return nil }
            return subject.starts(with: start)
        }
        if subject.isEmpty { return true }
        let permitted = permitted.compactMap(contains)
        return (permitted.isEmpty || permitted.contains(true)) && !excluded.compactMap(contains).contains(true)
    }

    private static func contains(_ subtree: Subtree, _ name: AlternativeName) -> Bool {
        switch (subtree, name) {
        case (.host(let base), .host(let host)): isInside(host.lowercased(), base)
        case (.address(let base, let mask), .address(let address)):
            address.count == base.count && zip(zip(address, base), mask).allSatisfy { ($0.0 & $1) == ($0.1 & $1) }
        default: false
        }
    }

    /// Whether `name`, or any host that matches its wildcard, is in the subtree.
    private static func touches(_ subtree: Subtree, _ name: AlternativeName) -> Bool {
        switch (subtree, name) {
        case (.host(let base), .host(let host)):
            // A wildcard name such as `*.example.com` is also excluded if a host that it matches, such as `a.example.com`, is excluded
            // individually.
            isInside(host.lowercased(), base) || host.hasPrefix("*.") && isInside(base, String(host.lowercased().dropFirst(2)))
        case (.address, .address): contains(subtree, name)
        default: true
        }
    }

    private static func isInside(_ host: String, _ base: String) -> Bool {
        if base.isEmpty || host == base { return true }
        return host.hasSuffix(base.hasPrefix(".") ? base : "." + base)
    }
}
