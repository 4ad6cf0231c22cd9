/// Copies a damaged JSON text part by part and replaces invalid parts. A function that returns false could not continue.
struct JSONRepairWalk {
    /// For each list that may still be found: the remaining keys of its path, and the keys of its elements.
    private typealias Steps = [(path: ArraySlice<String>, elementKeys: [String])]

    private static let deepestList = 8

    private var scanner: JSONScanner
    private let plan: JSONRepair.Plan
    /// Whether a list ends only at a bracket after which the rest of the text is valid. Otherwise it ends at the first possible bracket,
    /// which may be inside a damaged element.
    private let checksEnds: Bool
    /// The closing brackets of the containers around the current position.
    private var closers: [UInt8] = []
    /// How many bytes may still be read to find the next complete element. It limits the time for a text with much damage.
    private var budget: Int

    private(set) var out: [UInt8] = []
    private(set) var replacedCount = 0
    /// Whether a replaced part may have contained one of the lists.
    private(set) var hasLostList = false

    init(_ bytes: UnsafeRawBufferPointer, _ plan: JSONRepair.Plan, checksEnds: Bool) {
        scanner = JSONScanner(bytes)
        self.plan = plan
        self.checksEnds = checksEnds
        budget = bytes.count * 4 + 4096
        out.reserveCapacity(bytes.count)
    }

    private var bytes: UnsafeRawBufferPointer { scanner.bytes }

    /// Copies the whole text. Returns false when it cannot be repaired.
    mutating func text() -> Bool {
        container(plan.lists.map { ($0.path[...], $0.elementKeys) }) && next() == nil
    }

    /// Skips white space and returns the next byte without skipping it; nil at the end.
    private mutating func next() -> UInt8? {
        scanner.skipWhitespace()
        return scanner.position < bytes.count ? bytes[scanner.position] : nil
    }

    /// The end of the value at `start`, or the syntax error in it.
    private func endOfValue(at start: Int) -> Result<Int, JSONSyntaxError> {
        var probe = scanner
        probe.position = start
        return Result { () throws(JSONSyntaxError) in try probe.value().end }
    }

    private mutating func copy(to end: Int) {
        out.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[scanner.position..<end]))
        scanner.position = end
    }

    // MARK: Values that contain lists

    /// Copies an object or array that contains lists at any depth.
    private mutating func container(_ steps: Steps) -> Bool {
        guard let first = next(), closers.count < Self.deepestList else { return false }
        let isObject = first == UInt8(ascii: "{")
        guard isObject || first == UInt8(ascii: "[") else { return false }
        let closer = UInt8(ascii: isObject ? "}" : "]")
        copy(to: scanner.position + 1)
        closers.append(closer)
        defer { closers.removeLast() }
        if next() == closer {
            copy(to: scanner.position + 1)
            return true
        }
        while true {
            var key = "*"
            if isObject {
                guard let name = memberKey() else { return false }
                key = name
            }
            let further = steps.filter { $0.path.first == key || $0.path.first == "*" }
            guard member(further.map { ($0.path.dropFirst(), $0.elementKeys) }, closer) else { return false }
            guard let byte = next(), byte == closer || byte == UInt8(ascii: ",") else { return false }
            copy(to: scanner.position + 1)
            if byte == closer { return true }
        }
    }

    /// Copies a key and its colon, and returns the key; nil when the text has no valid key here.
    private mutating func memberKey() -> String? {
        guard next() != nil else { return nil }
        var probe = scanner
        do throws(JSONSyntaxError) {
            let token = try probe.string()
            try probe.expect(UInt8(ascii: ":"))
            var scratch: [UInt8] = []
            let key = scanner.string(token, scratch: &scratch)
            copy(to: probe.position)
            return key
        } catch {
            return nil
        }
    }

    /// Copies a member or element outside the lists. If it is invalid, repairs the lists in it, or replaces it by `null`.
    private mutating func member(_ steps: Steps, _ closer: UInt8) -> Bool {
        guard let first = next() else { return false }
        let start = scanner.position
        if case .success(let end) = endOfValue(at: start), ends(at: end, with: closer),
            !checksEnds || steps.isEmpty || isRest(end)
        {
            copy(to: end)
            return true
        }
        let before = (out.count, replacedCount)
        if first == UInt8(ascii: "["), let list = steps.first(where: \.path.isEmpty) {
            if elements(of: list.elementKeys) { return true }
        } else if steps.contains(where: { !$0.path.isEmpty }), container(steps) {
            return true
        }
        // The member could not be repaired in parts, so what was copied of it is removed from the output.
        out.removeSubrange(before.0...)
        replacedCount = before.1
        guard let end = endOfMember(from: start, closer) else { return false }
        out.append(contentsOf: "null".utf8)
        replacedCount += 1
        if !steps.isEmpty { hasLostList = true }
        scanner.position = end
        return true
    }

    /// The end of a damaged member: where its brackets and quotes match, otherwise where the rest of the text is valid. Nil when there is
    /// no such position.
    private mutating func endOfMember(from start: Int, _ closer: UInt8) -> Int? {
        if let end = JSONSkip.end(of: bytes, from: start, allowsBackslashes: true), ends(at: end, with: closer) { return end }
        var at = start
        while at < bytes.count, budget > 0 {
            if bytes[at] == UInt8(ascii: ",") || bytes[at] == closer, isRest(at) { return at }
            at += 1
        }
        return nil
    }

    /// Whether the next byte at or after `end`, without white space, is a comma or the closing bracket.
    private func ends(at end: Int, with closer: UInt8) -> Bool {
        var probe = scanner
        probe.position = end
        probe.skipWhitespace()
        return probe.position < bytes.count && (bytes[probe.position] == closer || bytes[probe.position] == UInt8(ascii: ","))
    }

    // MARK: Lists

    private mutating func elements(of keys: [String]) -> Bool {
        let closer = UInt8(ascii: "]")
        copy(to: scanner.position + 1)
        closers.append(closer)
        defer { closers.removeLast() }
        if next() == closer, !checksEnds || isRest(scanner.position) {
            copy(to: scanner.position + 1)
            return true
        }
        while true {
            guard next() != nil else { return false }
            let start = scanner.position
            if case .success(let end) = endOfValue(at: start), ends(at: end, with: closer) {
                copy(to: end)
            } else if let end = JSONSkip.end(of: bytes, from: start, allowsBackslashes: keys.isEmpty), ends(at: end, with: closer)
            {
                replace(to: end)
            } else {
                guard let end = endOfDamage(from: start, keys) else { return false }
                replace(to: end)
            }
            if checksEnds, next() == closer, !isRest(scanner.position) {
                guard let end = endOfDamage(from: scanner.position, keys) else { return false }
                out.append(UInt8(ascii: ","))
                replace(to: end)
            }
            guard let byte = next(), byte == closer || byte == UInt8(ascii: ",") else { return false }
            copy(to: scanner.position + 1)
            if byte == closer { return true }
        }
    }

    private mutating func replace(to end: Int) {
        out.append(contentsOf: plan.replacement(UnsafeRawBufferPointer(rebasing: bytes[scanner.position..<end])))
        replacedCount += 1
        scanner.position = end
    }

    /// The end of an element whose brackets or quotes do not match: before the comma of the next complete element, or where the rest of the
    /// text is valid. Nil when there is no such position.
    private mutating func endOfDamage(from start: Int, _ keys: [String]) -> Int? {
        var at = start
        while at < bytes.count, budget > 0 {
            defer { at += 1 }
            switch bytes[at] {
            case UInt8(ascii: ",") where isElement(after: at, keys): return at
            case UInt8(ascii: "]") where isRest(at): return at
            default: continue
            }
        }
        return nil
    }

    /// Whether a complete element of the list follows the comma at this offset.
    private mutating func isElement(after comma: Int, _ expected: [String]) -> Bool {
        var probe = scanner
        probe.position = comma + 1
        probe.skipWhitespace()
        let start = probe.position
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{") else { return false }
        switch endOfValue(at: start) {
        case .failure(let error):
            budget -= error.offset - start
            return false
        case .success(let end):
            budget -= end - start
            guard ends(at: end, with: UInt8(ascii: "]")) else { return false }
            let keys = JSONText(checked: scanner.text(start, end)).members?.map(\.key) ?? []
            guard expected.allSatisfy({ keys.contains($0) }) else { return false }
            // If a closing bracket follows the element, the rest of the text must be valid from this bracket on. Otherwise the bracket may
            // end a list that is inside the damaged element.
            probe.position = end
            probe.skipWhitespace()
            return bytes[probe.position] == UInt8(ascii: ",") || isRest(probe.position)
        }
    }

    /// Whether the text is valid from the comma or closing bracket at `start` on, and closes all open containers.
    private mutating func isRest(_ start: Int) -> Bool {
        var probe = scanner
        probe.position = start
        defer { budget -= probe.position - start }
        do throws(JSONSyntaxError) {
            for closer in closers.reversed() {
                while try !probe.skip(closer) {
                    try probe.expect(UInt8(ascii: ","))
                    if closer == UInt8(ascii: "}") {
                        _ = try probe.peek()
                        _ = try probe.string()
                        try probe.expect(UInt8(ascii: ":"))
                    }
                    _ = try probe.value()
                }
            }
            try probe.expectEnd()
            return true
        } catch {
            return false
        }
    }
}

/// Finds the end of a value that may be invalid JSON.
enum JSONSkip {
    /// The end of the value at `start`, found by its quotes and brackets; nil when they do not match. A missing or surplus quotation mark
    /// is recognised by the bytes after the string.
    ///
    /// - Parameter allowsBackslashes: whether backslashes outside of strings are accepted. Such a backslash may mean that a quotation mark
    ///   is missing, so a caller that can recognise the next complete element by its keys should pass false.
    static func end(of bytes: UnsafeRawBufferPointer, from start: Int, allowsBackslashes: Bool) -> Int? {
        var open: [UInt8] = []
        var at = start
        while at < bytes.count {
            switch bytes[at] {
            case JSONBytes.quote:
                guard let end = endOfString(bytes, from: at), isBehindString(bytes, end) else { return nil }
                at = end
                continue
            case JSONBytes.backslash where !allowsBackslashes: return nil
            case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let expected = open.popLast() else { return at }
                guard expected == bytes[at] else { return nil }
                if open.isEmpty { return at + 1 }
            case UInt8(ascii: ",") where open.isEmpty: return at
            default: break
            }
            at += 1
        }
        return nil
    }

    private static func isBehindString(_ bytes: UnsafeRawBufferPointer, _ end: Int) -> Bool {
        var scanner = JSONScanner(bytes)
        scanner.position = end
        scanner.skipWhitespace()
        guard scanner.position < bytes.count else { return false }
        switch bytes[scanner.position] {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): return true
        default: return false
        }
    }

    private static func endOfString(_ bytes: UnsafeRawBufferPointer, from quote: Int) -> Int? {
        var at = quote + 1
        while at < bytes.count {
            switch bytes[at] {
            case JSONBytes.quote: return at + 1
            case JSONBytes.backslash: at += 2
            default: at += 1
            }
        }
        return nil
    }
}
