import Testing

@testable import NexconnChatSDK

/// Open channels (rules NH-60 to NH-63).
@Suite(.timeLimit(.minutes(2))) struct OpenChannelTests {
    @Test func `who enters gets the last messages, then what is said, and is seen by the others`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let room = try ann.open("lobby")
            let response = try await room.enter()
            #expect(response.participantCount == 1 && response.memberCount == 1 && !response.isAllChannelMuted)
            try await room.send(TextMessage(text: "first"))
            let entered: (OpenChannelEnterResponseInfo?, NCError?) = await completion { end in
                try? bob.open("lobby").enterChannel(params: EnterOpenChannelParams(messageCount: 10), completion: end)
            }
            #expect(entered.1 == nil && entered.0?.participantCount == 2)
            try await bob.expect("first")
            try await bob.log.wait("bob hears of the metadata") { events in
                events.lazy.compactMap { if case .openChannel(.metadataSynced) = $0 { true } else { nil } }.first
            }
            let order = bob.log.events.compactMap { event -> String? in
                switch event {
                case .openChannel(.entering): "entering"
                case .messageReceived: "message"
                case .openChannel(.entered(let event)): "entered \(event.response?.participantCount ?? -1)"
                case .openChannel(.metadataSynced): "metadata"
                default: nil
                }
            }
            #expect(order == ["entering", "message", "entered 2", "metadata"])
            let joined = try await ann.log.wait("bob joins") { events in
                events.lazy.compactMap { if case .participantChanged(let event) = $0.open { event } else { nil } }
                    .first { $0.actions.contains { $0.userId == "bob" } }
            }
            #expect(joined.actions.map(\.action) == [.join] && joined.participantCount == 2)
            try await bob.open("lobby").send(TextMessage(text: "second"))
            let heard = try await ann.expect("second")
            #expect(heard.message.channelIdentifier == ChannelIdentifier(channelType: .open, channelId: "lobby"))
            #expect(heard.message.direction == .receive)

            try await bob.open("lobby").exit()
            // Told on another queue than the end of the call.
            try await bob.log.wait("bob is told that he left") { events in
                events.lazy.compactMap { if case .exited = $0.open { true } else { nil } }.first
            }
            #expect(bob.log.count { if case .exited = $0.open { true } else { false } } == 1)
            await #expect(throws: NCError.self) { try await bob.open("lobby").send(TextMessage(text: "third")) }
            let history = ann.run {
                BaseChannel.createOpenChannelMessagesQuery(params: OpenChannelMessagesQueryParams(channelId: "lobby"))
            }
            let texts = try await history.nextPage().data.compactMap { ($0.content as? TextMessage)?.text }
            #expect(texts == ["second", "first"])
        }
    }

    @Test func `nobody hears own messages again`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            for user in [ann, bob] { try await user.open("lobby").enter() }
            try await ann.open("lobby").send(TextMessage(text: "mine"))
            try await bob.open("lobby").send(TextMessage(text: "yours"))
            try await ann.expect("yours")
            #expect(ann.texts == ["yours"])
            #expect(try await ann.direct("x").history().data.isEmpty)
        }
    }

    @Test func `metadata are set, heard and deleted`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            for user in [ann, bob] { try await user.open("lobby").enter() }
            let room = try ann.open("lobby")
            try await room.setMetadata(SetOpenChannelMetadataParams(metadata: ["seat": "1"]))
            let changed = try await bob.log.wait("changed") { events in
                events.lazy.compactMap { if case .metadataChanged(let event) = $0.open { event.changeInfo.first } else { nil } }
                    .first
            }
            #expect(changed.key == "seat" && changed.value == "1" && changed.operationType == .update)
            #expect(try await bob.open("lobby").metadata() == ["seat": "1"])
            await #expect(throws: NCError.self) {
                try await bob.open("lobby").setMetadata(SetOpenChannelMetadataParams(metadata: ["seat": "2"]))
            }
            let many = Dictionary(uniqueKeysWithValues: (0..<11).map { (number: Int) in ("k\(number)", "v") })
            let (refused): (NCError?) = await completion { end in
                room.setMetadata(params: SetOpenChannelMetadataParams(metadata: many), completion: end)
            }
            #expect(refused?.code == 23429)
            try await room.deleteMetadata(DeleteOpenChannelMetadataParams(keys: ["seat"]))
            let removed = try await bob.log.wait("removed") { events in
                events.compactMap { (event: NCEvent) -> OpenChannelMetadataChangeInfo? in
                    if case .metadataChanged(let event) = event.open { event.changeInfo.first } else { nil }
                }.first { $0.operationType == .remove }
            }
            #expect(removed.value == nil)
            #expect(try await room.metadata().isEmpty)
        }
    }

    @Test func `a channel that does not exist cannot be entered, and handlers hear it`() async throws {
        try await ChatWorld.run {
            $0.createsOpenChannels = false
        } _: { world in
            let ann = try await world.user("ann")
            let (response, error): (OpenChannelEnterResponseInfo?, NCError?) = await completion { end in
                try? ann.open("nowhere").enterChannel(params: EnterOpenChannelParams(), completion: end)
            }
            #expect(response == nil && error?.code == 23410)
            let failed = ann.log.events.lazy.compactMap { event in
                if case .enterFailed(let event) = event.open { event } else { nil }
            }.first
            #expect(failed?.error.code == 23410 && failed?.channelId == "nowhere")
        }
    }

    @Test(arguments: [(-2, ""), (51, ""), (20, String(repeating: "x", count: 129))])
    func `impossible ways to enter are refused at once`(_ count: Int, _ extra: String) async throws {
        let user = ChatTestUser("ann", token: "t", port: 1)
        await #expect(throws: NCError.self) {
            try await user.open("lobby").enter(EnterOpenChannelParams(messageCount: count, extra: extra))
        }
        #expect(user.log.events.isEmpty)
    }
}
