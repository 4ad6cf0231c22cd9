import Testing

@testable import NexconnChatSDK

/// Profiles, blocklist and presence (rules NH-70 to NH-72).
@Suite(.timeLimit(.minutes(2))) struct UserTests {
    @Test func `a profile is changed and read by others`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let profile = UserProfile()
            profile.name = "Ann"
            profile.avatarUrl = "a.png"
            profile.gender = 2
            profile.email = "ann@example.org"
            profile.extProfile = ["ext_team": "blue"]
            try await ann.run { try await NCEngine.userModule.updateMyProfile(profile) }
            let seen = try await bob.run { try await NCEngine.userModule.profiles(["ann", "nobody"]) }
            #expect(seen.map(\.userId) == ["ann"])
            #expect(seen.first?.name == "Ann" && seen.first?.avatarUrl == "a.png" && seen.first?.gender == 2)
            #expect(seen.first?.email == "ann@example.org" && seen.first?.extProfile == ["ext_team": "blue"])
            #expect(try await ann.run { try await NCEngine.userModule.myProfile() }.name == "Ann")
            profile.extProfile = ["team": "red"]
            await #expect(throws: NCError.self) { try await ann.run { try await NCEngine.userModule.updateMyProfile(profile) } }
        }
    }

    @Test func `who is blocked cannot send`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            try await bob.run { try await NCEngine.userModule.block("ann") }
            let (message, error): (Message?, NCError?) = await completion { end in
                try? ann.direct("bob").sendMessage(
                    params: SendMessageParams(content: TextMessage(text: "hello?")), completionHandler: end)
            }
            #expect(error?.code == 405 && message?.sentStatus == .failed)
            #expect(try await bob.run { try await NCEngine.userModule.blocklist() } == ["ann"])
            let check: (Bool, NCError?) = await completion { end in
                bob.run { NCEngine.userModule.checkBlocked(userId: "ann", completion: end) }
            }
            #expect(check.0)
            try await bob.run { try await NCEngine.userModule.unblock("ann") }
            let again = try #require(message)
            let resent: (Message?, NCError?) = await completion { end in
                try? ann.direct("bob").resendMessage(again, completionHandler: end)
            }
            #expect(resent.1 == nil && resent.0?.sentStatus == .sent)
            try await bob.expect("hello?")
        }
    }

    @Test func `who subscribes sees users come and go`() async throws {
        try await ChatWorld.run {
            $0.limits.presenceGrace = .milliseconds(100)
        } _: { world in
            let ann = try await world.user("ann")
            let failed = try await ann.run {
                try await NCEngine.userModule.subscribe(SubscribeEventParams(userIds: ["bob"]))
            }
            #expect(failed.isEmpty)
            func seen(_ value: Int, times: Int) async throws {
                try await ann.log.wait("bob is \(value)") { events in
                    let values = events.flatMap { event -> [Int] in
                        guard case .subscriptionChanged(let event) = event else { return [] }
                        return event.events.filter { $0.userId == "bob" }.flatMap { $0.details.map(\.eventValue) }
                    }
                    return values.count(where: { $0 == value }) >= times && values.last == value ? true : nil
                }
            }
            let bob = try await world.user("bob")
            try await seen(1, times: 1)
            await bob.leave()
            try await seen(0, times: 1)
            let list: ([SubscribeEvent]?, NCError?) = await completion { end in
                ann.run {
                    NCEngine.userModule.getSubscribeEvent(params: SubscribeEventParams(userIds: []), completion: end)
                }
            }
            #expect(list.0?.map(\.userId) == ["bob"])
            let query = ann.run { NCEngine.userModule.createSubscribeQuery(pageSize: 1) }
            #expect(try await query.nextPage().data.count == 1)
            #expect(try await query.nextPage().data.isEmpty)
            try await ann.run { try await NCEngine.userModule.unsubscribe(SubscribeEventParams(userIds: ["bob"])) }
            let none: ([SubscribeEvent]?, NCError?) = await completion { end in
                ann.run {
                    NCEngine.userModule.getSubscribeEvent(params: SubscribeEventParams(userIds: []), completion: end)
                }
            }
            #expect(none.0?.isEmpty == true)
        }
    }

    @Test func `impossible subscriptions are refused at once`() async throws {
        let user = ChatTestUser("ann", token: "t", port: 1)
        for params in [
            SubscribeEventParams(userIds: []), SubscribeEventParams(userIds: ["a"], expiry: 59),
            SubscribeEventParams(userIds: ["a"], subscribeType: .userProfile),
            SubscribeEventParams(userIds: (0..<201).map(String.init)),
        ] {
            await #expect(throws: NCError.self) { try await user.run { try await NCEngine.userModule.subscribe(params) } }
        }
    }
}
