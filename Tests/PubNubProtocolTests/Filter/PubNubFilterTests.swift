import Identifiers
import PubNubProtocol
import Testing

@Suite("Filters (rules PF-1 to PF-15)")
struct PubNubFilterTests {
    /// How many of some messages pass.
    static func hits(_ filter: String, metadata: [String?] = [nil], data: [String] = ["null"]) throws -> Int {
        let filter = try PubNubFilter(filter)
        return metadata.reduce(0) { sum, metadata in
            sum + data.count { filter.matches(metadata: metadata, data: $0) }
        }
    }

    static func passes(
        _ filter: String, _ metadata: String? = nil, data: String = "null", customType: String? = nil
    ) throws -> Bool {
        try PubNubFilter(filter).matches(metadata: metadata, data: data, customType: customType)
    }

    @Test("The normal form of a text with a quote reads as the same text, whatever is beside the quote")
    func quotes() throws {
        for value in ["it\\'s", "\\'\u{301}x", "x\u{600}\\'", "\\'"] {
            for filter in ["a == '\(value)'", "meta['\(value)'] == 1"] {
                let first = try PubNubFilter(filter)
                #expect(try PubNubFilter(first.description).description.isExactly(first.description), "\(filter): \(first)")
            }
        }
    }

    @Test("The expressions that live tests use count the messages that the service delivered")
    func liveExpressions() throws {
        let languages = ["en", "fr", "de", "es", "en"].map { #"{"language":"\#($0)"}"# }
        #expect(try Self.hits("language == 'en'", metadata: languages) == 2)
        #expect(try Self.hits("language != 'en'", metadata: languages) == 3)
        #expect(try Self.hits("('fr','en','de') contains language", metadata: languages) == 4)
        let temperatures = ["55", "45", "50.5", "cold"].map { #"{"temperature":"\#($0)"}"# }
        #expect(try Self.hits("temperature > 50", metadata: temperatures) == 2)
        let parts = ["a Successful day", "unsuccessful", "failure"].map { #"{"message_part":"\#($0)"}"# }
        #expect(try Self.hits("message_part LIKE '*success*'", metadata: parts) == 2)
        let colors = ["blueish", "Blue", "light blue"].map { #"{"color":"\#($0)"}"# }
        #expect(try Self.hits("color LIKE 'blue*'", metadata: colors) == 2)
        let people = [#"{"name":"Joe","age":48}"#, #"{"name":"Kate","age":30}"#, #"{"name":"Tom","age":20}"#]
        #expect(
            try Self.hits(#"data.name == "Kate" || data.name == 'Joe' || data.age == 20"#, data: people) == 3)
        let things = [
            #"{"colors":["blue","red"],"config":{"enabled":"false"}}"#, #"{"colors":["red"],"config":{"enabled":"true"}}"#,
            #"{"colors":["red","blue"]}"#,
        ]
        #expect(
            try Self.hits(#"data.colors[0] == 'blue' || data.config['enabled'] == "true""#, data: things) == 2)
        #expect(try Self.passes("meta.category == 'urgent'", #"{"category":"urgent"}"#))
        #expect(try Self.passes("pub == 'nub'", #"{"pub":"nub"}"#))
        #expect(try Self.passes("pub == 3", #"{"pub":3}"#))
        #expect(try Self.hits("uuid == 'Serhii'", metadata: [#"{"uuid":"Serhii"}"#, #"{"uuid":"bob"}"#, nil]) == 1)
        #expect(try Self.passes("rights like '*write'", #"{"rights":["read","can-write"]}"#))
        #expect(try !Self.passes("language!=spanish", #"{"language":"english"}"#))
    }

    @Test("The custom message type is a field of the payload unless the payload has its own")
    func customType() throws {
        let filter = "data.customMessageType == 'alert'"
        #expect(try Self.passes(filter, data: "5", customType: "alert"))
        #expect(try Self.passes(filter, data: #"{"customMessageType":"alert"}"#, customType: "other"))
        #expect(try !Self.passes(filter, data: #"{"customMessageType":"own"}"#, customType: "alert"))
        #expect(try !Self.passes(filter, data: "{}"))
    }

    @Test(
        "Comparisons with something missing are false, whatever they ask",
        arguments: ["x == 1", "x != 1", "x > 1", "x <= 1", "x LIKE '*'", "x CONTAINS ''", "x", "x == y", "x != y", "x + 1 > 0"])
    func missing(filter: String) throws {
        for metadata in [nil, "{}", #"{"x":null}"#, #"{"x":{"y":1}}"#, "[1]", "3", "not JSON", ""] {
            #expect(try !Self.passes(filter, metadata), "\(metadata ?? "nil")")
            #expect(try Self.passes("!(\(filter))", metadata))
        }
    }

    @Test("Values are compared by what they are, and numeric strings are numbers beside numbers")
    func comparing() throws {
        let metadata = #"{"n":5,"s":"5","d":5.0,"t":true,"f":false,"w":"true","a":[1,"2"],"big":15782702386156836}"#
        for filter in [
            "n == 5", "s == 5", "n == s", "d == n", "n == '5.0'", "s == '5'", "s != '5.0'", "n >= 5 && n <= '5'", "n < 5.5",
            "t == 'true'", "t == w", "t == true", "w == true", "f != true", "f == 'false'", "t", "!f", "n", "w",
            "big == 15782702386156836", "big != 15782702386156835", "big > 15782702386156835", "(n == 5) == true",
            "'5' == n", "-n == -5", "- -n == 5", "n == 5 && !(s == 6) || x == 1",
        ] { #expect(try Self.passes(filter, metadata), "\(filter)") }
        for filter in [
            "n == 6", "s == '5.0'", "n != s", "t == 1", "t != 1", "t == 'TRUE'", "a == 1", "a != 1", "n == 'five'",
            "n != 'five'", "s > 'a'", "'b' > 'a'", "f", "'x'", "0", "('a','b')", "t > f",
        ] { #expect(try !Self.passes(filter, metadata), "\(filter)") }
    }

    @Test("Calculations bind as in arithmetic, stay exact, and have no result where there is none")
    func arithmetic() throws {
        let metadata = #"{"id":30,"half":"0.5"}"#
        for filter in [
            "meta.id % 10 == 0", "1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "10 - 2 - 3 == 5", "7 / 2 == 3.5", "6 / 2 == 3",
            "-7 % 3 == -1", "id * half == 15", "2 - -2 == 4", "9223372036854775807 + 1 > 0", "5.5 % 2 == 1.5",
        ] { #expect(try Self.passes(filter, metadata), "\(filter)") }
        for filter in ["1 / 0 == 1", "1 / 0 != 1", "1 % 0 != 1", "'a' + 1 != 0", "1e308 * 10 > 0", "id + 'x' != 1"] {
            #expect(try !Self.passes(filter, metadata), "\(filter)")
        }
    }

    @Test("LIKE knows asterisks, escaped ones too, and no letter case")
    func like() throws {
        func like(_ text: String, _ pattern: String) throws -> Bool {
            try Self.passes("x LIKE '\(pattern)'", #"{"x":"\#(text)"}"#)
        }
        for (text, pattern) in [
            ("", ""), ("", "*"), ("abc", "ABC"), ("abc", "*"), ("abc", "a*"), ("abc", "*c"), ("abc", "a*c"), ("abc", "*b*"),
            ("aab", "*ab"), ("abab", "a*ab"), ("a*c", "a\\*c"), ("aXbXc", "a*b*c"), ("ÄB", "ä*"), ("aaa", "a**a"),
        ] { #expect(try like(text, pattern), "\(text) \(pattern)") }
        for (text, pattern) in [
            ("abc", "ab"), ("abc", "b*"), ("abc", ""), ("a", "a*a"), ("abc", "a\\*c"), ("abc", "*d*"), ("ab", "b*a"),
            ("abcab", "*c"),
        ] { #expect(try !like(text, pattern), "\(text) \(pattern)") }
        #expect(try Self.passes("x LIKE y", #"{"x":"hello","y":"HE*"}"#))
    }

    @Test("CONTAINS looks into texts, arrays and lists")
    func contains() throws {
        let metadata = #"{"s":"Hello","a":["x",2,[3]],"n":125,"two":"2"}"#
        for filter in [
            "s contains 'ell'", "s CoNtAiNs 'H'", "a contains 'x'", "a contains 2", "a contains two", "n contains 25",
            "(1, 2, 3) contains two", "('a', -1, true) contains 'true'", "s contains ''",
        ] { #expect(try Self.passes(filter, metadata), "\(filter)") }
        for filter in ["s contains 'hell'", "a contains 3", "a contains 'X'", "x contains s", "s contains a", "(1,2) contains x"]
        {
            #expect(try !Self.passes(filter, metadata), "\(filter)")
        }
    }

    @Test("Paths go through objects and arrays, keys of any spelling, and the whole of either part")
    func paths() throws {
        let metadata = #"{ "a" : {"b":[{"c":1},{"\u0063":2,"d e":"x"}]} , "access-level":"editor", "a.b":7,"k":1,"k":2}"#
        for filter in [
            "a.b[0].c == 1", "meta.a.b[1].c == 2", "meta['a']['b'][1]['d e'] == 'x'", #"meta["access-level"] == 'editor'"#,
            "meta['a.b'] == 7", "k == 2", "meta . k == 2",
        ] { #expect(try Self.passes(filter, metadata), "\(filter)") }
        for filter in ["a.b[2].c == 2", "a.b.c == 1", "a[0] == 1", "a.b['0'].c == 1", "access-level == 'editor'", "a.b == 7"] {
            #expect(try !Self.passes(filter, metadata), "\(filter)")
        }
        #expect(try Self.passes("data == 'hello'", data: #""hello""#))
        #expect(try Self.passes("data[1] == 2", data: "[1,2]"))
        #expect(try Self.passes("meta LIKE '*x*' && meta contains 'x'", #""axb""#))
    }

    @Test("One subject serves many filters")
    func sharedSubject() throws {
        var subject = PubNubFilterSubject(metadata: Array(#"{"a":1}"#.utf8), data: Array(#"{"b":[1,2]}"#.utf8))
        for (filter, passes) in [("a == 1", true), ("data.b contains 2", true), ("a == 2", false), ("data.c == 1", false)] {
            #expect(try PubNubFilter(filter).matches(&subject) == passes)
        }
    }
}
