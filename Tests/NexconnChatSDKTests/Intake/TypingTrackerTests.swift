import ChatProtocol
import Testing

@testable import NexconnChatSDK

/// Rule NH-42.
@Suite struct TypingTrackerTests {
    private let channel = ChatChannel(.direct, "ann")
    private let second: UInt64 = 1_000_000_000

    private func status(_ user: String) -> UserTypingStatus {
        UserTypingStatus(userId: user, contentType: "RC:TxtMsg", sentTime: 1)
    }

    @Test func `who types counts for six seconds`() {
        var book = TypingTracker()
        #expect(book.note(status("ann"), in: channel, now: 0)?.map(\.userId) == ["ann"])
        #expect(book.expire(now: 6 * second - 1).isEmpty)
        let changed = book.expire(now: 6 * second)
        #expect(changed.map(\.channel) == [channel] && changed.allSatisfy { $0.present.isEmpty })
        #expect(book.expire(now: 60 * second).isEmpty)
    }

    @Test func `saying so again makes it longer`() {
        var book = TypingTracker()
        _ = book.note(status("ann"), in: channel, now: 0)
        _ = book.note(status("ann"), in: channel, now: 5 * second)
        #expect(book.expire(now: 6 * second).isEmpty)
        #expect(book.expire(now: 11 * second).count == 1)
    }

    @Test func `a message ends it, and others go on`() {
        var book = TypingTracker()
        _ = book.note(status("ann"), in: channel, now: 0)
        #expect(book.note(status("bob"), in: channel, now: 0)?.map(\.userId) == ["ann", "bob"])
        #expect(book.stop("ann", in: channel)?.map(\.userId) == ["bob"])
        #expect(book.stop("ann", in: channel) == nil)
        #expect(book.stop("bob", in: channel)?.isEmpty == true)
        #expect(book.expire(now: 60 * second).isEmpty)
    }

    @Test func `two spellings of one id are two users and two channels`() {
        var book = TypingTracker()
        _ = book.note(status("Kurt"), in: channel, now: 0)
        #expect(book.note(status("\u{212A}urt"), in: channel, now: 0)?.count == 2)
        let one = ChannelIdentifier(channelType: .direct, channelId: "Kurt")
        let other = ChannelIdentifier(channelType: .direct, channelId: "\u{212A}urt")
        #expect(!one.isEqual(other))
    }

    @Test func `NH-73: a thousand channels are tracked, with one timer for all`() {
        var book = TypingTracker()
        #expect(book.takeTimer() == nil)
        for number in 0..<TypingTracker.mostChannels {
            #expect(book.note(status("\(number)"), in: ChatChannel(.direct, "\(number)"), now: UInt64(number)) != nil)
        }
        #expect(book.note(status("more"), in: ChatChannel(.direct, "more"), now: 0) == nil)
        #expect(book.note(status("0"), in: ChatChannel(.direct, "0"), now: second) != nil)
        #expect(book.takeTimer() == 6 * second + 1)
        #expect(book.takeTimer() == nil, "somebody waits already")
        #expect(book.expire(now: 6 * second + 5).count == 5)
        #expect(book.takeTimer() == 6 * second + 6)
        #expect(book.note(status("more"), in: ChatChannel(.direct, "more"), now: 7 * second) != nil)
    }
}
