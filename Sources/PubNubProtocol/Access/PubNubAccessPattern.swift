/// A compiled regular expression from an access token. It selects the names of resources for which the token grants rights (rules PC-37 to
/// PC-39).
///
/// Matches without backtracking: the time is at most proportional to the length of the pattern times the length of the name, so hostile
/// patterns are safe. Supports literals, `.`, classes, `\d \w \s` and their negations, groups, alternatives, `* + ? {m,n}`, `^` and `$`.
public struct PubNubAccessPattern: Hashable, Sendable {
    /// The maximum length of a pattern's text in bytes.
    public static let maximumLength = 512

    private let program: [AccessInstruction]

    public init(_ text: String) throws(PubNubAccessPatternError) {
        guard text.utf8.count <= Self.maximumLength else { throw PubNubAccessPatternError(position: Self.maximumLength) }
        program = try AccessPatternParser.program(text)
    }

    /// Whether the pattern matches the whole name. PubNub's own service may also accept a name of which only a part matches. This
    /// implementation refuses such a name, because accepting it could grant too much.
    public func matches(_ name: String) -> Bool {
        let scalars = Array(name.unicodeScalars)
        var states = StateSet(count: program.count)
        var next = StateSet(count: program.count)
        follow(0, at: 0, of: scalars.count, into: &states)
        for (position, scalar) in scalars.enumerated() {
            guard !states.members.isEmpty else { return false }
            next.clear()
            for state in states.members {
                guard case .one(let set) = program[state], set.contains(scalar) else { continue }
                follow(state + 1, at: position + 1, of: scalars.count, into: &next)
            }
            swap(&states, &next)
        }
        return states.members.contains(program.count - 1)
    }

    /// Adds a state to `states`, together with all states that are reachable from it without consuming a character.
    private func follow(_ start: Int, at position: Int, of length: Int, into states: inout StateSet) {
        var pending = [start]
        while let state = pending.popLast() {
            guard states.insert(state) else { continue }
            switch program[state] {
            case .one, .end: break
            case .jump(let target): pending.append(target)
            case .either(let first, let second):
                pending.append(second)
                pending.append(first)
            case .atStart: if position == 0 { pending.append(state + 1) }
            case .atEnd: if position == length { pending.append(state + 1) }
            }
        }
    }

    private struct StateSet {
        private(set) var members: [Int] = []
        private var contains: [Bool]

        init(count: Int) {
            contains = [Bool](repeating: false, count: count)
        }

        mutating func insert(_ state: Int) -> Bool {
            guard !contains[state] else { return false }
            contains[state] = true
            members.append(state)
            return true
        }

        mutating func clear() {
            for state in members { contains[state] = false }
            members.removeAll(keepingCapacity: true)
        }
    }
}

/// Reports that a pattern is not supported, and where.
public struct PubNubAccessPatternError: Error, Hashable, Sendable {
    /// The offset of the character that caused the error, in Unicode scalars.
    public let position: Int
}

/// An instruction of a pattern's program. The last instruction is always `end`.
enum AccessInstruction: Hashable, Sendable {
    case one(AccessCharacters)
    case either(Int, Int)
    case jump(Int)
    case atStart
    case atEnd
    case end
}

/// A set of characters, stored as ranges of Unicode scalars.
struct AccessCharacters: Hashable, Sendable {
    var ranges: [ClosedRange<UInt32>]
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isNegated
    }

    init(_ scalar: Unicode.Scalar) {
        ranges = [scalar.value...scalar.value]
    }

    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
        self.ranges = ranges
        self.isNegated = isNegated
    }

    /// The set for `.`: all characters except line feed and carriage return.
    static let any = AccessCharacters([0x0A...0x0A, 0x0D...0x0D], isNegated: true)

    /// The set for a letter after a backslash, such as `\d`; nil for letters that stand for no class.
    init?(escape letter: Unicode.Scalar) {
        switch letter {
        case "d", "D": ranges = [0x30...0x39]
        case "w", "W": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        case "s", "S": ranges = [0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x2028...0x2029]
        default: return nil
        }
        isNegated = letter.properties.isUppercase
    }

    /// Adds all characters of another set to this set.
    mutating func formUnion(_ other: AccessCharacters) {
        ranges += other.isNegated ? Self.complement(other.ranges) : other.ranges
    }

    private static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if next < range.lowerBound { result.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        return result + [next...0x10FFFF]
    }
}
