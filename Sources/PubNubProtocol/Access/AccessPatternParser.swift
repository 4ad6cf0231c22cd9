/// Compiles a regular expression into a program: a list of instructions for ``PubNubAccessPattern``.
struct AccessPatternParser {
    /// The maximum number of instructions of a program. A counted repetition such as `a{9}` copies the instructions of the repeated part
    /// for each count, so nested counts could otherwise make a very long program.
    private static let maximumSteps = 4096
    private static let maximumDepth = 16

    private typealias Program = [AccessInstruction]

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    static func program(_ text: String) throws(PubNubAccessPatternError) -> [AccessInstruction] {
        var parser = AccessPatternParser(scalars: Array(text.unicodeScalars))
        let program = try parser.alternatives()
        guard parser.position == parser.scalars.count else { throw parser.problem() }
        return program + [.end]
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func problem() -> PubNubAccessPatternError { PubNubAccessPatternError(position: position) }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    /// Adds `offset` to the jump targets of a program, because the program is moved behind the instructions of another program.
    private static func moved(_ program: Program, by offset: Int) -> Program {
        program.map { step in
            switch step {
            case .jump(let target): .jump(target + offset)
            case .either(let first, let second): .either(first + offset, second + offset)
            default: step
            }
        }
    }

    private func joined(_ left: Program, _ right: Program) throws(PubNubAccessPatternError) -> Program {
        guard left.count + right.count <= Self.maximumSteps else { throw problem() }
        return left + Self.moved(right, by: left.count)
    }

    private mutating func alternatives() throws(PubNubAccessPatternError) -> Program {
        var result = try sequence()
        while take("|") {
            let other = try sequence()
            let start: Program = [.either(1, result.count + 2)]
            let first = try joined(start, result + [.jump(result.count + 1 + other.count)])
            result = try joined(first, other)
        }
        return result
    }

    private mutating func sequence() throws(PubNubAccessPatternError) -> Program {
        var result: Program = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let part = try atom()
            result = try joined(result, try repeated(part))
        }
        return result
    }

    private mutating func atom() throws(PubNubAccessPatternError) -> Program {
        guard let scalar = next else { throw problem() }
        switch scalar {
        case "*", "+", "?", "{", "}", "]": throw problem()
        case "(": return try group()
        case "[": return [.one(try characters())]
        case "\\": return [.one(try escape())]
        default: position += 1
        }
        switch scalar {
        case ".": return [.one(.any)]
        case "^": return [.atStart]
        case "$": return [.atEnd]
        default: return [.one(AccessCharacters(scalar))]
        }
    }

    private mutating func group() throws(PubNubAccessPatternError) -> Program {
        position += 1
        if take("?") {
            guard take(":") else { throw problem() }
        }
        depth += 1
        guard depth <= Self.maximumDepth else { throw problem() }
        defer { depth -= 1 }
        let inner = try alternatives()
        guard take(")") else { throw problem() }
        return inner
    }

    private mutating func escape() throws(PubNubAccessPatternError) -> AccessCharacters {
        position += 1
        guard let letter = next else { throw problem() }
        if let known = AccessCharacters(escape: letter) {
            position += 1
            return known
        }
        switch letter {
        case "n": position += 1; return AccessCharacters("\n")
        case "t": position += 1; return AccessCharacters("\t")
        case "r": position += 1; return AccessCharacters("\r")
        // Other dialects of regular expressions give a backslash before these letters and digits a meaning. So this parser refuses them
        // instead of matching them literally.
        case "a"..."z", "A"..."Z", "0"..."9": throw problem()
        default: position += 1; return AccessCharacters(letter)
        }
    }

    private mutating func characters() throws(PubNubAccessPatternError) -> AccessCharacters {
        position += 1
        let isNegated = take("^")
        var set = AccessCharacters([])
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            let low = try member()
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                set.formUnion(low)
                continue
            }
            position += 1
            let high = try member()
            guard let first = low.single, let last = high.single, first <= last else { throw problem() }
            set.ranges.append(first...last)
        }
        guard take("]") else { throw problem() }
        set.isNegated = isNegated
        return set
    }

    private mutating func member() throws(PubNubAccessPatternError) -> AccessCharacters {
        guard let scalar = next else { throw problem() }
        if scalar == "\\" { return try escape() }
        position += 1
        return AccessCharacters(scalar)
    }

    /// Repeats `part` as the quantifier behind it requires: `*`, `+`, `?` or a count in braces. A second `?`, for a lazy match, is skipped,
    /// because a lazy match accepts the same names.
    private mutating func repeated(_ part: Program) throws(PubNubAccessPatternError) -> Program {
        let (least, most): (Int, Int?)
        switch next {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{": (least, most) = try count()
        default: return part
        }
        position += 1
        _ = take("?")
        if let next, "*+?{".unicodeScalars.contains(next) { throw problem() }
        var result: Program = []
        for _ in 0..<least { result = try joined(result, part) }
        guard let most else {
            // A loop: its first instruction either enters the part or leaves the loop, and its last instruction jumps back to the first
            // one.
            return try joined(result, [.either(1, part.count + 2)] + Self.moved(part, by: 1) + [.jump(0)])
        }
        for _ in least..<max(most, least) {
            result = try joined(result, [.either(1, part.count + 1)] + Self.moved(part, by: 1))
        }
        return result
    }

    /// Reads the minimum and maximum of `{m}`, `{m,}` or `{m,n}`, up to the closing brace.
    private mutating func count() throws(PubNubAccessPatternError) -> (Int, Int?) {
        position += 1
        guard let least = number() else { throw problem() }
        var most: Int? = least
        if take(",") {
            most = next == "}" ? nil : number()
            if most == nil, next != "}" { throw problem() }
        }
        guard next == "}", most.map({ $0 >= least }) ?? true, max(least, most ?? 0) <= 1000 else { throw problem() }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var text = ""
        while let scalar = next, ("0"..."9").contains(scalar), text.utf8.count < 5 {
            text.unicodeScalars.append(scalar)
            position += 1
        }
        return Int(text)
    }
}

extension AccessCharacters {
    /// The only character of the set; nil when the set has several characters.
    fileprivate var single: UInt32? {
        guard ranges.count == 1, !isNegated, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }
}
