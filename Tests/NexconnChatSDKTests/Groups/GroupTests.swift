import Testing

@testable import NexconnChatSDK

/// A group of three.
@Suite(.timeLimit(.minutes(2))) struct GroupTests {
    private func operation(_ user: ChatTestUser, _ kind: GroupOperation) async throws -> GroupOperationEvent {
        try await user.log.wait("\(user.name) hears \(kind)") { events in
            events.lazy.compactMap(\.groupOperation).first { $0.operation == kind }
        }
    }

    @Test func `a group is made, talks, changes and ends, and its members hear of all that`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob, eve) = (try await world.user("ann"), try await world.user("bob"), try await world.user("eve"))
            let params = CreateGroupParams(groupId: "g", groupName: "Friends")
            params.inviteeUserIds = ["bob"]
            params.extProfile = ["k": "v"]
            let made: (Int, [String]?, NCError?) = await completion { end in
                ann.run { GroupChannel.createGroup(params: params, completion: end) }
            }
            #expect(made.0 == 0 && made.1 == nil && made.2 == nil)
            let created = try await operation(bob, .create)
            #expect(created.groupInfo.groupName == "Friends" && created.operatorInfo?.userId == "ann")
            let joined: (Int, NCError?) = await completion { end in try? eve.group("g").join(completion: end) }
            #expect(joined.0 == 0 && joined.1 == nil)
            _ = try await operation(bob, .join)

            try await eve.group("g").send(TextMessage(text: "hi all"))
            let heard = try await ann.expect("hi all")
            try await bob.expect("hi all")
            #expect(heard.message.channelIdentifier == ChannelIdentifier(channelType: .group, channelId: "g"))
            #expect(heard.message.senderUserId == "eve")

            let update = UpdateGroupInfoParams()
            update.notice = "Be kind"
            let updated: ([String]?, NCError?) = await completion { end in
                try? ann.group("g").updateInfo(params: update, completion: end)
            }
            #expect(updated.1 == nil)
            let changed = try await bob.log.wait("info") { events in
                events.lazy.compactMap { if case .groupInfoChanged(let event) = $0 { event } else { nil } }.first
            }
            #expect(changed.changedProperties == ["notice"] && changed.groupInfo.notice == "Be kind")

            let mute = UpdateGroupInfoParams()
            mute.isAllMuted = true
            let muted: ([String]?, NCError?) = await completion { end in
                try? ann.group("g").updateInfo(params: mute, completion: end)
            }
            #expect(muted.1 == nil)
            let silence: (Message?, NCError?) = await completion { end in
                try? bob.group("g").sendMessage(
                    params: SendMessageParams(content: TextMessage(text: "may I?")), completionHandler: end)
            }
            #expect(silence.1?.code == 22408 && silence.0?.sentStatus == .failed)

            let members = try await bob.group("g").members(["ann", "bob", "eve"])
            #expect(members.map(\.role) == [.owner, .normal, .normal])
            let kicked: (NCError?) = await completion { end in
                try? ann.group("g").kickMembers(params: KickMembersParams(userIds: ["eve"]), completion: end)
            }
            #expect(kicked == nil)
            #expect(try await operation(eve, .kick).memberInfos.map(\.userId) == ["eve"])
            await #expect(throws: NCError.self) { try await eve.group("g").send(TextMessage(text: "but")) }

            try await ann.group("g").dismiss()
            _ = try await operation(bob, .dismiss)
        }
    }

    @Test func `members and groups are listed in pages`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            for group in ["g1", "g2"] {
                let params = CreateGroupParams(groupId: group, groupName: "Group \(group)")
                params.inviteeUserIds = (1...5).map { "user-\($0)" }
                _ = try await ann.run { try await GroupChannel.create(params) }
            }
            let params = GroupMembersByRoleQueryParams()
            params.groupId = "g1"
            params.role = .normal
            params.pageSize = 2
            let query = ann.run { GroupChannel.createGroupMembersByRoleQuery(params: params) }
            var members: [String] = []
            while true {
                let page = try await query.nextPage()
                if page.data.isEmpty { break }
                members += page.data.map(\.userId)
            }
            #expect(members == (1...5).map { "user-\($0)" })
            let search = SearchGroupMembersQueryParams()
            search.groupId = "g1"
            search.memberName = "USER-5"
            search.pageSize = 2
            let found = ann.run { GroupChannel.createSearchGroupMembersQuery(params: search) }
            #expect(try await found.nextPage().data.map(\.userId) == ["user-5"])
            #expect(try await found.nextPage().data.isEmpty)
            let mine = JoinedGroupsByRoleQueryParams()
            mine.pageSize = 1
            let groups = ann.run { GroupChannel.createJoinedGroupsByRoleQuery(params: mine) }
            #expect(try await groups.nextPage().data.map(\.groupId) == ["g1"])
            #expect(try await groups.nextPage().data.map(\.groupId) == ["g2"])
            let byName: ([GroupInfo]?, NCError?) = await completion { end in
                ann.run {
                    GroupChannel.searchJoinedGroups(params: SearchJoinedGroupsParams(groupName: "group G2"), completion: end)
                }
            }
            #expect(byName.0?.map(\.groupId) == ["g2"])
            let infos = try await ann.run { try await GroupChannel.groups(["g1"]) }
            #expect(infos.first?.memberCount == 6 && infos.first?.ownerId == "ann")
        }
    }

    @Test func `a group goes to another owner, and gets managers`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let params = CreateGroupParams(groupId: "g", groupName: "G")
            params.inviteeUserIds = ["bob", "eve"]
            let group = try await ann.run { try await GroupChannel.create(params) }
            let added: (NCError?) = await completion { group.addAdmins(userIds: ["eve"], completion: $0) }
            #expect(added == nil)
            #expect(try await group.members(["eve"]).map(\.role) == [.manager])
            let nickname = SetMemberInfoParams(userId: "ann")
            nickname.nickname = "Annie"
            let named: ([String]?, NCError?) = await completion { group.setMemberInfo(params: nickname, completion: $0) }
            #expect(named.1 == nil)
            let changed = try await bob.log.wait("member") { events in
                events.lazy.compactMap { if case .groupMemberInfoChanged(let event) = $0 { event } else { nil } }.first
            }
            #expect(changed.memberInfo.nickname == "Annie" && changed.groupId == "g")
            await #expect(throws: NCError.self) { try await group.leave() }
            let transfer = TransferOwnerParams(newOwnerId: "bob")
            transfer.leaveAfterTransfer = true
            let given: (NCError?) = await completion { group.transferOwner(params: transfer, completion: $0) }
            #expect(given == nil)
            _ = try await operation(bob, .transferGroupOwner)
            #expect(try await bob.run { try await GroupChannel.groups(["g"]) }.first?.ownerId == "bob")
        }
    }

    @Test func `a group with an impossible id is refused at once`() async throws {
        let user = ChatTestUser("ann", token: "t", port: 1)
        let made: (Int, [String]?, NCError?) = await completion { end in
            user.run { GroupChannel.createGroup(params: CreateGroupParams(groupId: "", groupName: "G"), completion: end) }
        }
        #expect(made.2?.code == 34210)
    }
}
