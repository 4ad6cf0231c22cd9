import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Filters under random input (rules PF-14 and PF-15)")
struct PubNubFilterFuzzTests {
    /// Writes random expressions of the grammar.
    struct Writer {
        var random: SeededRandom

        mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        mutating func literal() -> String {
            pick([
                "1", "0", "2.50", "1e3", "'en'", "\"f'r\"", "'it\\'s'", "'a\\*b*'", "'\\\\'", "'\\x'", "''", "true", "false",
                "-3",
            ])
        }

        mutating func primary(_ depth: Int) -> String {
            switch below(depth > 4 ? 2 : 4) {
            case 0: return literal()
            case 1:
                return pick(["a", "meta", "data", "meta.a", "data.b", "é_1", "like", "true.x", "meta.true"])
                    + pick(["", "", ".b", "[0]", "['k k']", "[\"\\\"\"]", ".b[1].c"])
            case 2: return "(\(literal()), \(literal()),\(literal()))"
            default: return "(\(expression(depth + 1)))"
            }
        }

        mutating func sum(_ depth: Int) -> String {
            var text = pick(["", "", "-", "--"]) + primary(depth)
            for _ in 0..<max(0, below(4) - 1) { text += pick([" + ", "-", "*", " / ", "%"]) + primary(depth) }
            return text
        }

        mutating func expression(_ depth: Int) -> String {
            var text = pick(["", "", "!", "!!"]) + sum(depth)
            if below(3) > 0 { text += pick([" == ", "!=", ">", "<=", " LIKE ", " contains "]) + sum(depth) }
            if below(3) == 0, depth < 5 { text += pick([" && ", "||"]) + expression(depth + 1) }
            return text
        }
    }

    static let metadata = #"{"a":{"b":[1,{"c":"en"}]},"é_1":"it's","like":true,"b":"2.5"}"#
    static let data = #"{"b":["en",3],"a":"x"}"#

    @Test("10,000 random expressions are read, evaluated, and read the same from their normal form", .timeLimit(.minutes(2)))
    func roundTrips() throws {
        var writer = Writer(random: SeededRandom(seed: 7))
        var passed = 0
        var tooLong = 0
        for _ in 0..<10_000 {
            let text = writer.expression(0)
            guard text.utf8.count < 8000 else { continue }
            let filter: PubNubFilter
            do throws(PubNubFilterError) {
                filter = try PubNubFilter(text)
            } catch {
                #expect(error.reason == .tooManyOperators, "\(text)")
                tooLong += 1
                continue
            }
            let again = try PubNubFilter("\(filter)")
            #expect(filter == again, "\(text)")
            let passes = filter.matches(metadata: Self.metadata, data: Self.data)
            #expect(passes == again.matches(metadata: Self.metadata, data: Self.data), "\(text)")
            if passes { passed += 1 }
        }
        #expect(passed > 500 && passed < 9500 && tooLong < 1000)
    }

    @Test("50,000 mutated expressions are read or refused", .timeLimit(.minutes(2)))
    func mutations() {
        var writer = Writer(random: SeededRandom(seed: 11))
        let letters = Array("'\"\\*()[].,!=<>&|+-/%01a e_é\u{0}".utf8)
        var text = ""
        var read = 0
        for round in 0..<50_000 {
            if round % 20 == 0 { text = writer.expression(2) }
            var bytes = Array(text.utf8)
            for _ in 0...writer.below(3) {
                let at = writer.below(max(bytes.count, 1))
                switch writer.below(3) {
                case 0 where !bytes.isEmpty: bytes.remove(at: min(at, bytes.count - 1))
                case 1 where !bytes.isEmpty: bytes[min(at, bytes.count - 1)] = letters[writer.below(letters.count)]
                default: bytes.insert(letters[writer.below(letters.count)], at: min(at, bytes.count))
                }
            }
            do throws(PubNubFilterError) {
                _ = try PubNubFilter(String(decoding: bytes, as: UTF8.self)).matches(metadata: Self.metadata, data: Self.data)
                read += 1
            } catch {
                #expect((0...bytes.count * 3).contains(error.position))
            }
        }
        #expect(read > 2500)
    }
}
