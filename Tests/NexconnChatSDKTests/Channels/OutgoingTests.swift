import ChatProtocol
import Testing

@testable import NexconnChatSDK

/// What is checked before a message is kept or sent (rules NH-10, NH-11).
@Suite struct OutgoingTests {
    private let direct = ChatChannel(.direct, "u2")

    private func code(
        _ content: MessageContent, to channel: ChatChannel? = nil, _ change: (SendMessageParams) -> Void = { _ in }
    ) -> Int {
        let params = SendMessageParams(content: content)
        change(params)
        do throws(NCError) {
            _ = try Outgoing(content, params, to: channel ?? direct, clientID: "c").draft()
            return 0
        } catch {
            return error.code
        }
    }

    @Test func `nothing goes to a system channel`() {
        #expect(code(TextMessage(text: "t"), to: ChatChannel(.system, "s")) == 20109)
    }

    @Test func `a content has at most 128 KiB`() {
        let overhead = #"{"content":""}"#.utf8.count
        #expect(code(TextMessage(text: String(repeating: "x", count: 131_072 - overhead))) == 0)
        #expect(code(TextMessage(text: String(repeating: "x", count: 131_073 - overhead))) == 30016)
    }

    @Test func `metadata have keys and values of a certain kind`() {
        let text = TextMessage(text: "t")
        #expect(code(text) { $0.metadata = ["a-Z_0+=": String(repeating: "v", count: 4096)] } == 0)
        #expect(code(text) { $0.metadata = ["k": String(repeating: "v", count: 4097)] } == 34010)
        #expect(code(text) { $0.metadata = [String(repeating: "k", count: 33): "v"] } == 33003)
        #expect(code(text) { $0.metadata = ["": "v"] } == 33003)
        #expect(code(text) { $0.metadata = ["ä": "v"] } == 33003)
        #expect(code(text, to: ChatChannel(.open, "o")) { $0.metadata = ["k": "v"] } == 34008)
    }

    @Test func `the policy of a content decides what is kept and counted`() throws {
        func options(_ content: MessageContent) throws -> Outgoing {
            try Outgoing(content, SendMessageParams(content: content), to: direct, clientID: "c")
        }
        let text = try options(TextMessage(text: "t"))
        #expect(text.options.isPersisted && text.options.isCounted && text.isKept)
        let command = try options(CommandMessage(name: "n", data: ""))
        #expect(!command.options.isPersisted && !command.options.isCounted && !command.isKept)
        let notice = try options(InformationNotificationMessage(message: "m"))
        #expect(notice.options.isPersisted && !notice.options.isCounted && notice.isKept)
    }

    /// Rule NH-2.
    @Test func `what the caller changes after the call is not sent`() throws {
        let text = TextMessage(text: "before")
        let outgoing = try Outgoing(text, SendMessageParams(content: text), to: direct, clientID: "c")
        text.text = "after"
        #expect(String(decoding: try outgoing.draft().content, as: UTF8.self).contains("before"))
        let file = FileMessage(remoteUrl: "https://files.example/1", name: "before", size: 3)
        let sent = try Outgoing(file, SendMediaMessageParams(content: file), to: direct, clientID: "c")
        file.remoteUrl = "https://files.example/2"
        file.name = "after"
        let words = String(decoding: try sent.draft().content, as: UTF8.self)
        #expect(words.contains("before") && words.contains("files.example") && !words.contains("after") && !words.contains("/2"))
    }

    @Test func `parameters become the wire's options`() throws {
        let content = TextMessage(text: "t")
        let params = SendMessageParams(content: content)
        params.needReceipt = true
        params.disableNotification = true
        params.disableUpdateLastMessage = true
        params.directedUserIds = ["u3"]
        let push = PushConfig()
        push.pushTitle = "T"
        push.iOSConfig = IOSPushConfig()
        push.iOSConfig?.threadId = "x"
        params.pushConfig = push
        let options = try Outgoing(content, params, to: ChatChannel(.group, "g"), clientID: "c").options
        #expect(options.needsReceipt && options.isQuiet && options.isNotLatest && options.users == ["u3"])
        #expect(options.push.map { String(decoding: $0, as: UTF8.self) } == #"{"title":"T","ios":{"threadId":"x"}}"#)
    }

    @Test(arguments: ["", String(repeating: "x", count: 65), "a\nb", "\u{7F}"])
    func `a channel with an impossible id cannot be made`(_ id: String) {
        #expect(DirectChannel(channelId: id) == nil)
        #expect(GroupChannel(channelId: id) == nil)
        #expect(OpenChannel(channelId: id) == nil)
        #expect(SystemChannel(channelId: id) == nil)
    }

    @Test func `identifiers are equal by type and id`() {
        let one = ChannelIdentifier(channelType: .direct, channelId: "a")
        #expect(one == ChannelIdentifier(channelType: .direct, channelId: "a"))
        #expect(Set([one, ChannelIdentifier(channelType: .direct, channelId: "a")]).count == 1)
        #expect(one != ChannelIdentifier(channelType: .group, channelId: "a"))
        #expect(ChannelIdentifier(channelType: .community, channelId: "a").channel == nil)
    }

    @Test func `a switch over the types of channels needs no default`() {
        for type in ChannelType.allCases {
            switch type {
            case .direct, .group, .open, .system: #expect(type.conversation != nil)
            case .community: #expect(type.conversation == nil)
            }
        }
    }
}
