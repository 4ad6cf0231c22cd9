import WireCoding

/// Reads the objects of frames: records the positions of an object's members, then returns the members by name and type.
///
/// Reads the bytes in one pass without a tree. Nested objects are recorded after the enclosing ones, as on a stack, so that the table's
/// memory is reused. Valid only as long as the bytes are.
struct WireReader {
    var scanner: JSONScanner
    var state: State
    /// The index in the table at which the members of the innermost object begin.
    private var scope = 0

    /// State that is kept between the frames of a connection.
    struct State: Sendable {
        fileprivate(set) var members: [Member] = []
        var names: NameTable
        /// Whether an unreadable element makes the whole list unreadable. True for requests, which a server processes completely or not
        /// at all; false for frames that a client reads (rule NC-40).
        let isStrict: Bool
        fileprivate var scratch: [UInt8] = []

        /// - Parameter rememberedNames: the capacity of the cache of names, which are ids of users and channels, and types. Messages
        ///   with the same name share one string. 0 for no cache.
        init(rememberedNames: Int, isStrict: Bool = true) {
            names = NameTable(capacity: rememberedNames)
            self.isStrict = isStrict
        }

        /// Releases buffers that have become unusually large.
        mutating func trim() {
            if scratch.count > 16_384 { scratch = [] }
            if members.capacity > 256 { members = [] }
        }
    }

    /// A member of an object, with its position in the bytes.
    struct Member: Sendable {
        fileprivate var keyStart: Int
        fileprivate var keyEnd: Int
        /// The key when it was written with escapes.
        fileprivate var keyText: String?
        fileprivate var slot: Slot
    }

    /// The position of a value; for a string, without its quotes.
    struct Slot: Sendable {
        var start: Int
        var end: Int
        var kind: JSONKind
        fileprivate var hasEscapes: Bool
    }

    init(_ bytes: UnsafeRawBufferPointer, state: State = State(rememberedNames: 0)) {
        scanner = JSONScanner(bytes)
        self.state = state
    }

    /// Lends the state of a connection for one frame.
    static func with<Value>(
        _ bytes: UnsafeRawBufferPointer, state: inout State, _ body: (inout WireReader) -> Value
    ) -> Value {
        var reader = WireReader(bytes)
        swap(&reader.state, &state)
        defer {
            reader.state.members.removeAll(keepingCapacity: true)
            reader.state.trim()
            swap(&reader.state, &state)
        }
        return body(&reader)
    }

    // MARK: Recording the positions of members

    /// Reads the members of the next object and hands them to `body`; nil when the next value is not an object, or when `body` returns nil.
    ///
    /// - Parameter special: called with each key first; returns true when it has read the value itself.
    @inline(__always)
    mutating func object<Value>(
        special: (Member, inout WireReader) throws(JSONSyntaxError) -> Bool,
        _ body: (inout WireReader) throws(JSONSyntaxError) -> Value?
    ) throws(JSONSyntaxError) -> Value? {
        guard try scanner.peek() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            return nil
        }
        scanner.position &+= 1
        let outer = scope
        scope = state.members.count
        if try !scanner.skip(UInt8(ascii: "}")) {
            repeat {
                var member = try key()
                if try !special(member, &self) {
                    member.slot = try slot()
                    // No known key is longer.
                    if member.keyEnd &- member.keyStart <= 20 || member.keyText != nil { state.members.append(member) }
                }
            } while try !scanner.endOfObject()
        }
        let value = try body(&self)
        state.members.removeSubrange(scope...)
        scope = outer
        return value
    }

    mutating func object<Value>(
        _ body: (inout WireReader) throws(JSONSyntaxError) -> Value?
    ) throws(JSONSyntaxError) -> Value? {
        try object(special: { (_, _) throws(JSONSyntaxError) in false }, body)
    }

    /// Reads the next value as an array; nil when it is not one. Elements whose result is nil are left out.
    @inline(__always)
    mutating func array<Element>(
        _ body: (inout WireReader) throws(JSONSyntaxError) -> Element?
    ) throws(JSONSyntaxError) -> [Element]? {
        guard try scanner.peek() == UInt8(ascii: "[") else {
            _ = try scanner.value()
            return nil
        }
        scanner.position &+= 1
        var elements: [Element] = []
        if try scanner.skip(UInt8(ascii: "]")) { return elements }
        while true {
            if let element = try body(&self) { elements.append(element) }
            if try scanner.endOfArray() { return elements }
        }
    }

    @inline(__always)
    private mutating func key() throws(JSONSyntaxError) -> Member {
        let token = try scanner.string()
        try scanner.expect(UInt8(ascii: ":"))
        let text = token.hasEscapes ? scanner.string(token, scratch: &state.scratch) : nil
        return Member(
            keyStart: token.start, keyEnd: token.end, keyText: text,
            slot: Slot(start: 0, end: 0, kind: .null, hasEscapes: false))
    }

    /// Records the position of the next value.
    @inline(__always)
    mutating func slot() throws(JSONSyntaxError) -> Slot {
        if try scanner.peek() == JSONBytes.quote {
            let token = try scanner.string()
            return Slot(start: token.start, end: token.end, kind: .string, hasEscapes: token.hasEscapes)
        }
        let token = try scanner.value()
        return Slot(start: token.start, end: token.end, kind: token.kind, hasEscapes: false)
    }

    // MARK: Finding members

    /// The value of a member of the innermost object, the last one of its name; nil when there is none, and for null.
    func find(_ name: StaticString) -> Slot? {
        var index = state.members.count
        while index > scope {
            index &-= 1
            guard isKey(state.members[index], name) else { continue }
            let slot = state.members[index].slot
            return slot.kind == .null ? nil : slot
        }
        return nil
    }

    @inline(__always)
    func isKey(_ member: Member, _ name: StaticString) -> Bool {
        if let text = member.keyText { return text == name.description }
        return isEqual(member.keyStart, member.keyEnd, to: name)
    }

    /// Whether the value at `slot` is the string `word`.
    func `is`(_ slot: Slot?, _ word: StaticString) -> Bool {
        guard let slot, slot.kind == .string, !slot.hasEscapes else { return false }
        return isEqual(slot.start, slot.end, to: word)
    }

    @inline(__always)
    private func isEqual(_ start: Int, _ end: Int, to word: StaticString) -> Bool {
        guard end &- start == word.utf8CodeUnitCount else { return false }
        // in bounds: the range from start to end has the length of the word.
        for index in 0..<word.utf8CodeUnitCount where scanner.bytes[start &+ index] != word.utf8Start[index] { return false }
        return true
    }

    // MARK: Values of members; nil when the member is missing or has another type

    mutating func text(_ slot: Slot?) -> String? {
        guard let slot, slot.kind == .string else { return nil }
        guard slot.hasEscapes else { return scanner.text(slot.start, slot.end) }
        let token = JSONScanner.StringToken(start: slot.start, end: slot.end, hasEscapes: true)
        return scanner.string(token, scratch: &state.scratch)
    }

    mutating func text(_ name: StaticString) -> String? { text(find(name)) }

    /// A text that many messages have in common, such as an id. Taken from the cache ``State/names``.
    mutating func shared(_ name: StaticString) -> String? {
        guard let slot = find(name), slot.kind == .string, !slot.hasEscapes else { return text(name) }
        return state.names.name(scanner.bytes.clampedBytes(from: slot.start, to: slot.end))
    }

    /// An integer that is not negative.
    func whole(_ name: StaticString) -> UInt64? {
        guard let slot = find(name), slot.kind == .number else { return nil }
        return scanner.wholeNumber(slot.start, slot.end)
    }

    func number(_ slot: Slot?) -> Int64? {
        guard let slot, slot.kind == .number else { return nil }
        let isNegative = scanner.bytes[slot.start] == UInt8(ascii: "-")
        guard let magnitude = scanner.wholeNumber(slot.start &+ (isNegative ? 1 : 0), slot.end) else { return nil }
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }

    func number(_ name: StaticString) -> Int64? { number(find(name)) }
    func integer(_ name: StaticString) -> Int? { number(find(name)).flatMap { Int(exactly: $0) } }

    func flag(_ slot: Slot?) -> Bool? {
        guard let slot, slot.kind == .bool else { return nil }
        return scanner.bytes[slot.start] == UInt8(ascii: "t")
    }

    func flag(_ name: StaticString) -> Bool? { flag(find(name)) }

    /// An object, copied unchanged.
    func json(_ name: StaticString) -> [UInt8]? {
        guard let slot = find(name), slot.kind == .object else { return nil }
        return Array(scanner.bytes.clamped(from: slot.start, to: slot.end))
    }

    func id(_ slot: Slot?) -> ChatMessageID? {
        guard let slot, slot.kind == .string, slot.end &- slot.start <= 20 else { return nil }
        return scanner.wholeNumber(slot.start, slot.end).map { ChatMessageID(rawValue: $0) }
    }

    func id(_ name: StaticString) -> ChatMessageID? { id(find(name)) }

    func conversation(_ name: StaticString = "conv") -> ChatConversationKind? {
        let slot = find(name)
        if `is`(slot, "direct") { return .direct }
        if `is`(slot, "group") { return .group }
        if `is`(slot, "open") { return .open }
        return `is`(slot, "system") ? .system : nil
    }

    /// A dictionary of strings. A value of another type makes the whole dictionary nil, or is left out: see ``State/isStrict``.
    mutating func pairs(_ name: StaticString) -> [String: String]? {
        guard let slot = find(name), slot.kind == .object else { return nil }
        return inside(slot) { (reader) throws(JSONSyntaxError) in
            try reader.scanner.expect(UInt8(ascii: "{"))
            var pairs: [String: String] = [:]
            if try reader.scanner.skip(UInt8(ascii: "}")) { return pairs }
            repeat {
                let key = try reader.scanner.unescapedString(scratch: &reader.state.scratch)
                try reader.scanner.expect(UInt8(ascii: ":"))
                guard let value = reader.text(try reader.slot()) else {
                    if reader.state.isStrict { return nil }
                    continue
                }
                pairs[key] = value
            } while try !reader.scanner.endOfObject()
            return pairs
        }
    }

    /// A list of strings. An element of another type makes the whole list nil, or is left out: see ``State/isStrict``.
    mutating func texts(_ name: StaticString) -> [String]? {
        list(name) { (reader) throws(JSONSyntaxError) in reader.text(try reader.slot()) }
    }

    /// A list of message ids. An element of another type makes the whole list nil, or is left out.
    mutating func ids(_ name: StaticString) -> [ChatMessageID]? {
        list(name) { (reader) throws(JSONSyntaxError) in reader.id(try reader.slot()) }
    }

    /// A list of objects. An element whose result is nil makes the whole list nil, or is left out.
    mutating func objects<Element>(
        _ name: StaticString, _ body: (inout WireReader) -> Element?
    ) -> [Element]? {
        list(name) { (reader) throws(JSONSyntaxError) in
            try reader.object { (reader) throws(JSONSyntaxError) in body(&reader) }
        }
    }

    /// A nested object; nil when `body` returns nil.
    mutating func object<Value>(_ name: StaticString, _ body: (inout WireReader) -> Value?) -> Value? {
        guard let slot = find(name), slot.kind == .object else { return nil }
        return inside(slot) { (reader) throws(JSONSyntaxError) in
            try reader.object { (reader) throws(JSONSyntaxError) in body(&reader) }
        }
    }

    private mutating func list<Element>(
        _ name: StaticString, _ element: (inout WireReader) throws(JSONSyntaxError) -> Element?
    ) -> [Element]? {
        guard let slot = find(name), slot.kind == .array else { return nil }
        var isWhole = true
        let elements = inside(slot) { (reader) throws(JSONSyntaxError) in
            try reader.array { (reader) throws(JSONSyntaxError) in
                let value = try element(&reader)
                if value == nil { isWhole = false }
                return value
            }
        }
        return isWhole || !state.isStrict ? elements : nil
    }

    /// Reads the value at a recorded position.
    private mutating func inside<Value>(
        _ slot: Slot, _ body: (inout WireReader) throws(JSONSyntaxError) -> Value?
    ) -> Value? {
        let position = scanner.position
        scanner.position = slot.start
        defer { scanner.position = position }
        // The value has already been checked, so no error can be thrown.
        return try? body(&self)
    }
}
