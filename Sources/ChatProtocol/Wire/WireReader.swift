import WireCoding

/// Reads the objects of frames: it records the positions of an object's members, and then returns members by name and type.
///
/// It reads the bytes in one pass, without building a tree. The table of members works as a stack: the members of a nested object are
/// recorded after those of the enclosing objects, and are removed when the nested object ends. A reader is valid only as long as the bytes
/// are.
struct WireReader {
    var scanner: JSONScanner
    var state: State
    /// The index in the table of members at which the members of the innermost object begin.
    private var scope = 0

    /// Buffers and caches that all frames of a connection use, one frame after the other.
    struct State: Sendable {
        fileprivate(set) var members: [Member] = []
        var names: NameTable
        /// Whether an unreadable element makes the whole list unreadable. It is true for requests, which a server performs completely or
        /// not at all, and false for frames that a client reads (rule NC-40).
        let isStrict: Bool
        fileprivate var scratch: [UInt8] = []

        /// - Parameter rememberedNames: the capacity of the cache of names: ids of users and channels, and message types. Messages with the
        ///   same name share one string. 0 means no cache.
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

    /// A member of an object: the positions of its key and of its value in the frame's bytes.
    struct Member: Sendable {
        fileprivate var keyStart: Int
        fileprivate var keyEnd: Int
        /// The key as text, if it was written with escapes; otherwise nil.
        fileprivate var keyText: String?
        fileprivate var slot: Slot
    }

    /// The position of a value in the frame's bytes; for a string, without its quotes.
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

    /// Makes a reader that uses the state of a connection, for one frame.
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

    /// Reads the members of the next object, and passes them to `body`. Returns nil when the next value is not an object, or when `body`
    /// returns nil.
    ///
    /// - Parameter special: called first with each key. It returns true when it has read the value itself.
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
                    // Members with longer keys are not recorded, because no known key has more than 20 bytes.
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

    /// Reads the next value as an array; nil when it is not an array. Elements for which `body` returns nil are left out.
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

    /// Records the position of the next value, and skips the value.
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

    /// The position of the value with this name in the innermost object; the last one if the name occurs several times. Nil when there is
    /// none, or when the value is null.
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
        // in bounds: the string from `start` to its end is as long as the word.
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

    /// A text that many messages have in common, such as an id. It is taken from the cache ``State/names``.
    mutating func shared(_ name: StaticString) -> String? {
        guard let slot = find(name), slot.kind == .string, !slot.hasEscapes else { return text(name) }
        return state.names.name(scanner.bytes.clampedBytes(from: slot.start, to: slot.end))
    }

    /// An integer that is not negative; nil for any other value.
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

    /// The JSON text of an object, copied unchanged.
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

    /// A dictionary of strings. A value of another type either makes the whole dictionary nil, or is left out: see ``State/isStrict``.
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

    /// A list of strings. An element of another type either makes the whole list nil, or is left out: see ``State/isStrict``.
    mutating func texts(_ name: StaticString) -> [String]? {
        list(name) { (reader) throws(JSONSyntaxError) in reader.text(try reader.slot()) }
    }

    /// A list of message ids. An element of another type either makes the whole list nil, or is left out: see ``State/isStrict``.
    mutating func ids(_ name: StaticString) -> [ChatMessageID]? {
        list(name) { (reader) throws(JSONSyntaxError) in reader.id(try reader.slot()) }
    }

    /// A list of objects. An element for which `body` returns nil either makes the whole list nil, or is left out: see ``State/isStrict``.
    mutating func objects<Element>(
        _ name: StaticString, _ body: (inout WireReader) -> Element?
    ) -> [Element]? {
        list(name) { (reader) throws(JSONSyntaxError) in
            try reader.object { (reader) throws(JSONSyntaxError) in body(&reader) }
        }
    }

    /// Reads a nested object with `body`; nil when there is none, or when `body` returns nil.
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

    /// Moves to the recorded position of a value, reads the value, and moves back.
    private mutating func inside<Value>(
        _ slot: Slot, _ body: (inout WireReader) throws(JSONSyntaxError) -> Value?
    ) -> Value? {
        let position = scanner.position
        scanner.position = slot.start
        defer { scanner.position = position }
        // The value was checked when its position was recorded, so no error can be thrown.
        return try? body(&self)
    }
}
