import PusherProtocol
import Testing

@testable import PusherSwift

/// Members by the bytes of their ids (rules PA-25 to PA-27, HB-11).
@Suite struct PresenceStateTests {
    /// Unicode takes both for the same letter.
    private let plain = PusherMember(userID: "K")
    private let kelvin = PusherMember(userID: "\u{212A}")

    @Test func `two spellings that Unicode takes for equal are two members`() {
        var state = PresenceState()
        #expect(state.replace(with: [plain], myID: nil).added.count == 1)
        let renewal = state.replace(with: [kelvin], myID: nil)
        #expect(renewal.added.map { Array($0.userId.utf8) } == [Array("\u{212A}".utf8)])
        #expect(renewal.removed.map { Array($0.userId.utf8) } == [Array("K".utf8)])
        #expect(state.add(plain) != nil && state.add(plain) == nil && state.members.count == 2)
        #expect(state.remove("K").map { Array($0.userId.utf8) } == Array("K".utf8))
        #expect(state.member("K") == nil && state.member("\u{212A}") != nil)
    }

    @Test func `oneself is among the changes by the own spelling only`() {
        var state = PresenceState()
        _ = state.replace(with: [plain], myID: "K")
        #expect(state.replace(with: [plain, kelvin], myID: "K").added.map { Array($0.userId.utf8) } == [Array("\u{212A}".utf8)])
    }
}
