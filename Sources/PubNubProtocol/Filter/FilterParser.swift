/// Parses a filter expression by the grammar of the rules PF in `docs/rules/pubnub-security.md`.
struct FilterParser {
    private var lexer: FilterLexer
    private var token = FilterToken.end
    private var position = 0
    private var depth = 0
    private var operators = 0
    private var listed = 0

    static func parse(_ text: String) throws(PubNubFilterError) -> FilterNode {
        let bytes = Array(text.utf8)
        guard bytes.count <= PubNubFilter.maximumLength else {
            throw PubNubFilterError(.tooLong, at: PubNubFilter.maximumLength)
        }
        var parser = FilterParser(lexer: FilterLexer(bytes))
        try parser.advance()
        if parser.token == .end { throw PubNubFilterError(.empty, at: 0) }
        let node = try parser.expression()
        guard parser.token == .end else { throw PubNubFilterError(.expectedOperator, at: parser.position) }
        return node
    }

    private init(lexer: FilterLexer) {
        self.lexer = lexer
    }

    private mutating func advance() throws(PubNubFilterError) {
        (token, position) = try lexer.next()
    }

    /// Consumes the next token if it is `symbol`. Returns whether the token was consumed.
    private mutating func take(_ symbol: FilterSymbol) throws(PubNubFilterError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    /// Consumes the present token, which is an operator. Throws when the expression has more operators than the limit.
    private mutating func passOperator() throws(PubNubFilterError) {
        operators += 1
        guard operators <= PubNubFilter.maximumOperators else { throw PubNubFilterError(.tooManyOperators, at: position) }
        try advance()
    }

    /// Consumes the next token if it is the operator `symbol`, and counts the operator. Returns whether the token was consumed.
    private mutating func takeOperator(_ symbol: FilterSymbol) throws(PubNubFilterError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try passOperator()
        return true
    }

    private mutating func enter() throws(PubNubFilterError) {
        depth += 1
        if depth > PubNubFilter.maximumDepth { throw PubNubFilterError(.tooDeep, at: position) }
    }

    private mutating func expression() throws(PubNubFilterError) -> FilterNode {
        try enter()
        defer { depth -= 1 }
        var parts = [try conjunction()]
        while try takeOperator(.or) { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(PubNubFilterError) -> FilterNode {
        var parts = [try negation()]
        while try takeOperator(.and) { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(PubNubFilterError) -> FilterNode {
        guard try takeOperator(.not) else { return try comparison() }
        try enter()
        defer { depth -= 1 }
        return .not(try negation())
    }

    private mutating func comparison() throws(PubNubFilterError) -> FilterNode {
        let left = try sum()
        switch token {
        case .symbol(.comparison(let comparison)):
            try passOperator()
            return .comparison(comparison, left, try sum())
        case .name(let word) where word.lowercased() == "like":
            try passOperator()
            let right = try sum()
            guard case .string(let literal) = right else { return .like(left, right, nil) }
            return .like(left, right, FilterWildcard(literal.pattern))
        case .name(let word) where word.lowercased() == "contains":
            try passOperator()
            return .contains(left, try sum())
        default:
            return left
        }
    }

    private mutating func sum() throws(PubNubFilterError) -> FilterNode {
        try chain(areProducts: false) { parser throws(PubNubFilterError) in
            try parser.chain(areProducts: true) { parser throws(PubNubFilterError) in try parser.unary() }
        }
    }

    private mutating func chain(
        areProducts: Bool, _ operand: (inout FilterParser) throws(PubNubFilterError) -> FilterNode
    ) throws(PubNubFilterError) -> FilterNode {
        let first = try operand(&self)
        var operations: [FilterOperation] = []
        while case .symbol(.arithmetic(let symbol)) = token, symbol.isProduct == areProducts {
            try passOperator()
            operations.append(FilterOperation(symbol: symbol, operand: try operand(&self)))
        }
        return operations.isEmpty ? first : .arithmetic(first, operations)
    }

    private mutating func unary() throws(PubNubFilterError) -> FilterNode {
        // A minus in front of a number does not count as an operator. Otherwise a list of negative numbers would exceed the limit of
        // operators.
        guard token == .symbol(.arithmetic(.minus)) else { return try primary() }
        let start = position
        try advance()
        try enter()
        defer { depth -= 1 }
        switch try unary() {
        case .number(.integer(let value)) where value > 0: return .number(.integer(-value))
        case .number(.double(let value)) where value > 0: return .number(.double(-value))
        case let operand:
            operators += 1
            guard operators <= PubNubFilter.maximumOperators else { throw PubNubFilterError(.tooManyOperators, at: start) }
            return .negated(operand)
        }
    }

    private mutating func primary() throws(PubNubFilterError) -> FilterNode {
        switch token {
        case .number(let value):
            try advance()
            return .number(value)
        case .string(let value):
            try advance()
            return .string(value)
        case .name(let name):
            try advance()
            return try path(from: name)
        case .symbol(.opening):
            try advance()
            return try parenthesised()
        default:
            throw PubNubFilterError(.expectedOperand, at: position)
        }
    }

    /// Parses the rest after an opening parenthesis: an expression, or a list when a comma follows the first value.
    private mutating func parenthesised() throws(PubNubFilterError) -> FilterNode {
        let start = position
        let first = try expression()
        guard token == .symbol(.comma) else {
            guard try take(.closing) else { throw PubNubFilterError(.expectedClosingParenthesis, at: position) }
            return first
        }
        guard first.isLiteral else { throw PubNubFilterError(.invalidListElement, at: start) }
        var elements = [first]
        while try take(.comma) {
            let start = position
            listed += 1
            guard listed < PubNubFilter.maximumElements else { throw PubNubFilterError(.tooManyElements, at: start) }
            let element = try unary()
            guard element.isLiteral else { throw PubNubFilterError(.invalidListElement, at: start) }
            elements.append(element)
        }
        guard try take(.closing) else { throw PubNubFilterError(.expectedClosingParenthesis, at: position) }
        return .list(elements)
    }

    /// Parses a path after its first name. If this name is neither `meta` nor `data`, it is the name of a field of the metadata (rule
    /// PF-2).
    private mutating func path(from name: String) throws(PubNubFilterError) -> FilterNode {
        var path: FilterPath
        if let root = FilterPath.Root(rawValue: name) {
            path = FilterPath(root: root, steps: [])
        } else {
            path = FilterPath(root: .meta, steps: [.key(Array(name.utf8))])
        }
        while true {
            if path.steps.count > PubNubFilter.maximumDepth { throw PubNubFilterError(.tooDeep, at: position) }
            if try take(.dot) {
                guard case .name(let key) = token else { throw PubNubFilterError(.expectedName, at: position) }
                path.steps.append(.key(Array(key.utf8)))
                try advance()
            } else if try take(.openingBracket) {
                switch token {
                case .number(.integer(let index)): path.steps.append(.index(index))
                case .string(let key): path.steps.append(.key(Array(key.text.utf8)))
                default: throw PubNubFilterError(.invalidIndex, at: position)
                }
                try advance()
                guard try take(.closingBracket) else { throw PubNubFilterError(.invalidIndex, at: position) }
            } else {
                break
            }
        }
        guard path.root == .meta, case .key(let key)? = path.steps.first, path.steps.count == 1, name != "meta" else {
            return .path(path)
        }
        // A bare `true` or `false` is a boolean value and not a path (rule PF-9).
        return key.elementsEqual("true".utf8) ? .bool(true) : key.elementsEqual("false".utf8) ? .bool(false) : .path(path)
    }
}
