import WireCoding

/// A token of a filter expression.
enum FilterToken: Hashable {
    case name(String)
    case number(FilterNumber)
    case string(FilterString)
    case symbol(FilterSymbol)
    case end
}

/// An operator, bracket, dot or comma.
enum FilterSymbol: Hashable {
    case comparison(FilterComparison)
    case arithmetic(FilterOperation.Symbol)
    case not, and, or
    case opening, closing, openingBracket, closingBracket
    case dot, comma
}

/// Splits a filter expression into tokens. Each call of ``next()`` returns one token to the parser.
struct FilterLexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the next token; returns it with its position in bytes.
    mutating func next() throws(PubNubFilterError) -> (token: FilterToken, position: Int) {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
        let start = position
        guard let byte = peek() else { return (.end, start) }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return (.string(try string(quote: byte)), start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return (.number(try number()), start)
        case _ where Self.beginsName(byte):
            while let next = peek(), Self.beginsName(next) || Self.isDigit(next) { position += 1 }
            return (.name(text(from: start)), start)
        default:
            return (.symbol(try symbol(byte)), start)
        }
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes.clamped(from: start, to: position), as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Whether a name can begin with this byte: a letter, an underscore, or a byte of a character outside of ASCII.
    private static func beginsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte >= 0x80
    }

    private mutating func symbol(_ byte: UInt8) throws(PubNubFilterError) -> FilterSymbol {
        if let symbol = Self.pair(byte, peek(1)) {
            position += 2
            return symbol
        }
        guard let symbol = Self.single(byte) else { throw PubNubFilterError(.unexpectedCharacter, at: position) }
        position += 1
        return symbol
    }

    private static func pair(_ first: UInt8, _ second: UInt8?) -> FilterSymbol? {
        switch (first, second) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): .comparison(.equal)
        case (UInt8(ascii: "!"), UInt8(ascii: "=")): .comparison(.unequal)
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): .comparison(.greaterOrEqual)
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): .comparison(.lessOrEqual)
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): .and
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): .or
        default: nil
        }
    }

    private static func single(_ byte: UInt8) -> FilterSymbol? {
        switch byte {
        case UInt8(ascii: ">"): .comparison(.greater)
        case UInt8(ascii: "<"): .comparison(.less)
        case UInt8(ascii: "+"): .arithmetic(.plus)
        case UInt8(ascii: "-"): .arithmetic(.minus)
        case UInt8(ascii: "*"): .arithmetic(.times)
        case UInt8(ascii: "/"): .arithmetic(.divided)
        case UInt8(ascii: "%"): .arithmetic(.modulo)
        case UInt8(ascii: "!"): .not
        case UInt8(ascii: "("): .opening
        case UInt8(ascii: ")"): .closing
        case UInt8(ascii: "["): .openingBracket
        case UInt8(ascii: "]"): .closingBracket
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: ","): .comma
        default: nil
        }
    }

    private mutating func number() throws(PubNubFilterError) -> FilterNumber {
        let start = position
        digits()
        if peek() == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
            position += 1
            digits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 1 : 0
            if let next = peek(1 + sign), Self.isDigit(next) {
                position += 1 + sign
                digits()
            }
        }
        if let byte = peek(), Self.beginsName(byte) { throw PubNubFilterError(.invalidNumber, at: start) }
        guard let number = FilterNumber(text(from: start)) else {
            throw PubNubFilterError(.invalidNumber, at: start)
        }
        return number
    }

    private mutating func digits() {
        while let byte = peek(), Self.isDigit(byte) { position += 1 }
    }

    private mutating func string(quote: UInt8) throws(PubNubFilterError) -> FilterString {
        let start = position
        position += 1
        var pattern: [UInt8] = []
        while let byte = peek(), byte != quote {
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                pattern.append(byte)
                continue
            }
            switch peek() {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                pattern.append(bytes[position])
                position += 1
            case UInt8(ascii: "*"), UInt8(ascii: "\\"):
                pattern.append(byte)
                pattern.append(bytes[position])
                position += 1
            default:
                // A backslash before a character that needs no escape is an ordinary backslash, which the pattern represents as two
                // backslashes.
                pattern.append(byte)
                pattern.append(byte)
            }
        }
        guard peek() == quote else { throw PubNubFilterError(.unterminatedString, at: start) }
        position += 1
        return FilterString(pattern: String(decoding: pattern, as: UTF8.self))
    }
}
