import WireCoding

/// The JSON text of a message's metadata or payload, in which filters look up values. The members of the outermost object are indexed once,
/// at the first lookup.
struct FilterDocument: Sendable {
    private let bytes: [UInt8]
    private var members: [Member]?
    /// The number of bytes that lookups have read or compared so far.
    private(set) var work = 0

    private struct Member: Sendable {
        var key: Range<Int>
        var hasEscapes: Bool
        var value: Stretch
    }

    /// The range of a JSON value in the text, with the kind of value.
    private struct Stretch: Sendable {
        var range: Range<Int>
        var kind: JSONKind
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value at the end of a path; `missing` when the path does not exist or the text is not JSON.
    mutating func value(at steps: [FilterPath.Step]) -> FilterValue {
        var rest = steps[...]
        var place: Stretch?
        if case .key(let key)? = rest.first {
            rest.removeFirst()
            place = member(key)
        } else {
            work += bytes.count
            place = whole()
        }
        for step in rest {
            guard let from = place else { return .missing }
            switch step {
            case .key(let key):
                work += from.range.count
                place = Self.last(key, in: index(of: from), bytes)
            case .index(let index):
                work += from.range.count
                place = element(index, of: from)
            }
        }
        guard let place else { return .missing }
        work += place.range.count
        return value(place)
    }

    private mutating func member(_ key: [UInt8]) -> Stretch? {
        if let members {
            work += members.count
            return Self.last(key, in: members, bytes)
        }
        work += bytes.count
        let found = whole().map { index(of: $0) } ?? []
        members = found
        return Self.last(key, in: found, bytes)
    }

    /// Finds the value of a key. Of a repeated key the last value is used, as the package does for all JSON.
    private static func last(_ key: [UInt8], in members: [Member], _ bytes: [UInt8]) -> Stretch? {
        members.last { member in
            guard member.hasEscapes else { return bytes[member.key].elementsEqual(key) }
            return bytes.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes)
                scanner.position = member.key.lowerBound - 1
                var scratch: [UInt8] = []
                return (try? scanner.unescapedString(scratch: &scratch))?.utf8.elementsEqual(key) ?? false
            }
        }?.value
    }

    private func scan<Value>(
        from start: Int, _ body: (inout JSONScanner) throws(JSONSyntaxError) -> Value
    ) -> Value? {
        bytes.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            scanner.position = start
            return try? body(&scanner)
        }
    }

    private func whole() -> Stretch? {
        scan(from: 0) { scanner throws(JSONSyntaxError) in try Self.stretch(&scanner) }
    }

    private static func stretch(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Stretch {
        let token = try scanner.value()
        return Stretch(range: token.start..<token.end, kind: token.kind)
    }

    /// The members of an object; empty for other values.
    private func index(of place: Stretch) -> [Member] {
        guard place.kind == .object else { return [] }
        return scan(from: place.range.lowerBound) { scanner throws(JSONSyntaxError) in
            var members: [Member] = []
            try scanner.object { (scanner, key) throws(JSONSyntaxError) in
                members.append(
                    Member(key: key.start..<key.end, hasEscapes: key.hasEscapes, value: try Self.stretch(&scanner)))
            }
            return members
        } ?? []
    }

    private func element(_ index: Int, of place: Stretch) -> Stretch? {
        elements(of: place, upTo: index).flatMap { $0.count > index ? $0[index] : nil }
    }

    private func elements(of place: Stretch, upTo limit: Int = .max) -> [Stretch]? {
        guard place.kind == .array else { return nil }
        return scan(from: place.range.lowerBound) { scanner throws(JSONSyntaxError) in
            var elements: [Stretch] = []
            try scanner.expect(UInt8(ascii: "["))
            while elements.count <= limit, try scanner.peek() != UInt8(ascii: "]") {
                if !elements.isEmpty { try scanner.expect(UInt8(ascii: ",")) }
                elements.append(try Self.stretch(&scanner))
            }
            return elements
        }
    }

    private func value(_ place: Stretch) -> FilterValue {
        switch place.kind {
        case .bool: .bool(bytes[place.range.lowerBound] == UInt8(ascii: "t"))
        case .number:
            FilterNumber(String(decoding: bytes[place.range], as: UTF8.self)).map { .number($0) } ?? .missing
        case .string:
            scan(from: place.range.lowerBound) { scanner throws(JSONSyntaxError) in
                var scratch: [UInt8] = []
                return .string(try scanner.unescapedString(scratch: &scratch))
            } ?? .missing
        case .array: .list((elements(of: place) ?? []).map { $0.kind == .array ? .missing : value($0) })
        case .object, .null: .missing
        }
    }
}
