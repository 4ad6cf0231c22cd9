import Foundation
import Testing

@testable import NexconnChatSDK

/// What this device knows of channels, and what devices share (rules NH-20, NH-21, NH-24).
@Suite(.timeLimit(.minutes(2))) struct ChannelStateTests {
    @Test func `unread messages are counted and cleared, on two devices`() async throws {
        try await ChatWorld.run {
            $0.syncsDevices = true
        } _: { world in
            let phone = try await world.user("bob")
            let desk = try await world.user("bob", device: .desktop)
            let ann = try await world.user("ann")
            for text in ["1", "2", "3"] { try await ann.direct("bob").send(TextMessage(text: text)) }
            try await phone.expect("3")
            try await desk.expect("3")
            #expect(try await phone.direct("ann").reloaded().unreadCount == 3)
            #expect(try await desk.direct("ann").reloaded().unreadCount == 3)
            let total: (Int, NCError?) = await completion { end in phone.run { BaseChannel.getTotalUnreadCount(completion: end) }
            }
            #expect(total.0 == 3)
            #expect(try await phone.direct("ann").clearUnread())
            #expect(try await !phone.direct("ann").clearUnread())
            #expect(try await phone.direct("ann").reloaded().unreadCount == 0)
            try await desk.log.wait("read elsewhere") { events in
                events.lazy.compactMap { if case .channelUnreadStatus(let event) = $0 { event } else { nil } }.first
            }
            #expect(try await desk.direct("ann").reloaded().unreadCount == 0)
        }
    }

    @Test func `pins and levels reach the other device`() async throws {
        try await ChatWorld.run { world in
            let phone = try await world.user("bob")
            let desk = try await world.user("bob", device: .desktop)
            let channel = try phone.direct("ann")
            try await desk.direct("ann").send(TextMessage(text: "hello"))
            try await channel.setPinned(true)
            try await channel.setNoDisturbLevel(.muted)
            let pinned = try await desk.log.wait("pinned") { events in
                events.lazy.compactMap { if case .channelPinned(let event) = $0 { event } else { nil } }.first
            }
            #expect(pinned.isPinned && pinned.channelIdentifier.channelId == "ann")
            let level = try await desk.log.wait("level") { events in
                events.lazy.compactMap { if case .channelNoDisturbLevel(let event) = $0 { event } else { nil } }.first
            }
            #expect(level.level == .muted)
            for user in [phone, desk] {
                let here = try await user.direct("ann").reloaded()
                #expect(here.isPinned && here.noDisturbLevel == .muted)
            }
            let types = [NSNumber(value: ChannelType.direct.rawValue)]
            let list: ([BaseChannel]?, NCError?) = await completion { end in
                desk.run { BaseChannel.getPinnedChannels(channelTypes: types, completion: end) }
            }
            #expect(list.0?.map(\.channelId) == ["ann"])
        }
    }

    @Test func `a device that was signed in later fetches pins and levels`() async throws {
        try await ChatWorld.run { world in
            let phone = try await world.user("bob")
            try await phone.direct("ann").setPinned(true)
            let params = ChannelTypeNoDisturbLevelParams()
            params.channelType = .group
            params.level = .mention
            let (error): (NCError?) = await completion { end in
                phone.run { BaseChannel.setChannelTypeNoDisturbLevel(params: params, completion: end) }
            }
            #expect(error == nil)
            let desk = try await world.user("bob", device: .desktop)
            let (synced): (NCError?) = await completion { end in desk.run { BaseChannel.syncRemoteChannels(completion: end) } }
            #expect(synced == nil)
            #expect(try await desk.direct("ann").reloaded().isPinned)
            let level: (ChannelNoDisturbLevel, NCError?) = await completion { end in
                desk.run { BaseChannel.getChannelTypeNoDisturbLevel(channelType: .group, completion: end) }
            }
            #expect(level.0 == .mention)
            #expect(desk.log.count { if case .remoteChannelsSyncCompleted = $0 { true } else { false } } == 1)
        }
    }

    @Test func `drafts, the list of channels, and channels that are deleted`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            for name in ["a", "b", "c"] { try await ann.direct(name).send(TextMessage(text: name)) }
            // Channels are listed by the millisecond of what came last, so the draft must not be of that of the last message.
            try await Task.sleep(for: .milliseconds(5))
            let (saved): (NCError?) = await completion { end in try? ann.direct("a").saveDraft("Dear", completion: end) }
            #expect(saved == nil)
            #expect(try await ann.direct("a").reloaded().draft == "Dear")
            let params = ChannelsQueryParams()
            params.setChannelTypes([.direct, .group])
            params.pageSize = 2
            let query = ann.run { BaseChannel.createChannelsQuery(params: params) }
            let page: (PageData<BaseChannel>?, NCError?) = await completion { query.loadNextPage(completion: $0) }
            #expect(page.0?.data.map(\.channelId) == ["a", "c"])
            #expect((page.0?.data.last?.latestMessage?.content as? TextMessage)?.text == "c")
            #expect(try await query.nextPage().data.map(\.channelId) == ["b"])
            #expect(try await query.nextPage().data.isEmpty && query.isAtEnd)
            let (deleted): (NCError?) = await completion { end in try? ann.direct("c").delete(completion: end) }
            #expect(deleted == nil)
            let identifiers = ["a", "b", "c"].map { ChannelIdentifier(channelType: .direct, channelId: $0) }
            let known: ([BaseChannel]?, NCError?) = await completion { end in
                ann.run { BaseChannel.getChannels(identifiers: identifiers, completion: end) }
            }
            #expect(known.0?.map(\.channelId) == ["a", "b"])
        }
    }

    @Test func `the other user sees somebody typing, until the message comes`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let channel = try ann.direct("bob")
            channel.sendTypingStatus(typingMessageType: "RC:TxtMsg")
            func typing(_ events: [NCEvent]) -> [TypingStatusChangedEvent] {
                events.compactMap { if case .typing(let event) = $0 { event } else { nil } }
            }
            let began = try await bob.log.wait("typing") { events in
                events.lazy.compactMap { if case .typing(let event) = $0 { event } else { nil } }.first
            }
            #expect(began.userTypingStatus.map(\.userId) == ["ann"] && began.channelIdentifier.channelId == "ann")
            try await channel.send(TextMessage(text: "done"))
            try await bob.expect("done")
            #expect(typing(bob.log.events).last?.userTypingStatus.isEmpty == true)
        }
    }
}
