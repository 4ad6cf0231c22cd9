import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Who types, as a value")
struct TypingRosterTests {
    private let start = Moment(nanoseconds: 1_000_000_000)

    @Test func `LL-121: a user counts for 6 s after the last word, in the order of the first`() {
        var roster = TypingRoster()
        #expect(roster.isEmpty && roster.nextDeadline == nil)
        #expect(roster.began("ann", at: start) == true)
        #expect(roster.began("ben", at: start + .seconds(1)) == true)
        #expect(roster.began("ann", at: start + .seconds(4)) == false)
        #expect(roster.users.map(\.text) == ["ann", "ben"])
        #expect(roster.nextDeadline == start + .seconds(7))
        #expect(roster.expire(at: start + .seconds(6)) == false)
        #expect(roster.expire(at: start + .seconds(7)) == true)
        #expect(roster.users.map(\.text) == ["ann"])
        #expect(roster.stopped("ann") == true)
        #expect(roster.stopped("ann") == false)
        #expect(roster.isEmpty && roster.nextDeadline == nil)
    }

    @Test func `LL-121: users are told apart by the bytes of their ids`() {
        var roster = TypingRoster()
        #expect(roster.began("\u{e9}", at: start) == true)
        #expect(roster.began("e\u{301}", at: start) == true)
        #expect(roster.users.count == 2)
    }

    @Test func `LL-121: at most 100 users count, and none with an id that is too long`() {
        var roster = TypingRoster()
        for number in 0..<TypingRoster.mostUsers { #expect(roster.began("user \(number)", at: start) == true) }
        #expect(roster.began("one more", at: start) == false)
        #expect(roster.stopped("user 0") == true)
        #expect(roster.began(String(repeating: "x", count: TypingRoster.longestUser + 1), at: start) == false)
        #expect(roster.began("one more", at: start) == true)
        #expect(roster.users.count == TypingRoster.mostUsers)
    }

    @Test func `LL-122: one keystroke in 4 s is told, and a stop only while others may show it`() {
        var throttle = TypingThrottle()
        #expect(throttle.stopped(at: start) == false)
        #expect(throttle.struck(at: start) == true)
        #expect(throttle.struck(at: start + .milliseconds(3_999)) == false)
        #expect(throttle.struck(at: start + .seconds(4)) == true)
        #expect(throttle.stopped(at: start + .seconds(5)) == true)
        #expect(throttle.stopped(at: start + .seconds(5)) == false)
        #expect(throttle.struck(at: start + .seconds(5)) == true)
        #expect(throttle.stopped(at: start + .seconds(11)) == false)
        #expect(throttle.struck(at: start + .seconds(11)) == true)
        throttle.published()
        #expect(throttle.struck(at: start + .seconds(11)) == true)
    }

    @Test func `LL-123: what tells of typing is a small object, and nothing else is taken for it`() {
        #expect(TypingSignal(isTyping: true).json == #"{"lifeline":"typing","typing":true}"#)
        #expect(TypingSignal(isTyping: true).json.utf8.count <= 64)
        let named = TypingSignal(isTyping: false, user: #"a"b"#)
        #expect(TypingSignal(named.json) == named)
        for other in [
            "", "1", "{}", #""typing""#, #"{"typing":true}"#, #"{"lifeline":"typing"}"#, #"{"lifeline":"typing","typing":1}"#,
            #"{"lifeline":"typing","typing":true"#,
        ] {
            #expect(TypingSignal(other) == nil, "\(other)")
        }
        let long = TypingSignal(isTyping: true, user: String(repeating: "x", count: 10_000))
        #expect(TypingSignal(long.json) == nil)
    }
}
