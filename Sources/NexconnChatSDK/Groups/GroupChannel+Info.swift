import ChatProtocol
import EngineRuntime
import Identifiers

// Loads and changes the data of groups and their members. Every completion is called once, on the callback queue (rule NH-1).
extension GroupChannel {
    /// Loads the data of groups.
    ///
    /// - Parameters:
    ///   - groupIds: 1 … 20 ids.
    ///   - completion: called once, on the callback queue.
    public static func getGroupsInfo(groupIds: [String], completion: ((_ groups: [GroupInfo]?, _ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        info(of: groupIds, engine, engine.answering(completion))
    }

    /// Loads the data of 1 … 20 groups.
    ///
    /// - Throws: the reason why the service did not answer with the groups.
    public static func groups(_ groupIds: [String]) async throws(NCError) -> [GroupInfo] {
        try await awaiting { info(of: groupIds, NCEngine.engine, $0) }
    }

    /// Loads the data of those of the given groups in which the user is a member.
    ///
    /// - Parameters:
    ///   - groupIds: 1 … 20 ids.
    ///   - completion: called once, on the callback queue.
    public static func getJoinedGroups(
        groupIds: [String], completion: ((_ groups: [GroupInfo]?, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let wanted = Set(groupIds.map { Identifier($0) })
        everything(engine, completion: engine.answering(completion)) { groups in
            groups.filter { wanted.contains(Identifier($0.groupId)) }
        }
    }

    /// Loads the user's groups whose name contains a text.
    public static func searchJoinedGroups(
        params: SearchJoinedGroupsParams, completion: ((_ groups: [GroupInfo]?, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let keyword = params.groupName.lowercased()
        everything(engine, completion: engine.answering(completion)) { groups in
            groups.filter { $0.groupName.lowercased().contains(keyword) }
        }
    }

    /// Changes the group's data.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - completion: called once, on the callback queue. `errorKeys` is always nil; the error's text describes invalid parameters.
    public func updateInfo(
        params: UpdateGroupInfoParams, completion: ((_ errorKeys: [String]?, _ error: NCError?) -> Void)?
    ) {
        let block = CallerBlock(completion)
        engine.ask(.updateGroup(channelId, params.wire), completion: engine.confirming { block(nil, $0) })
    }

    /// Loads members of the group by their user ids. The signed-in user has to be a member.
    ///
    /// - Parameters:
    ///   - userIds: 1 … 100 ids.
    ///   - completion: called once, on the callback queue.
    public func getMembers(userIds: [String], completion: ((_ members: [GroupMemberInfo]?, _ error: NCError?) -> Void)?) {
        members(userIds, engine.answering(completion))
    }

    /// Loads 1 … 100 members of the group by their user ids. The signed-in user has to be a member.
    ///
    /// - Throws: the reason why the service did not answer with the members.
    public func members(_ userIds: [String]) async throws(NCError) -> [GroupMemberInfo] {
        try await awaiting { members(userIds, $0) }
    }

    /// Changes a member's name in this group, and the member's `extra`.
    public func setMemberInfo(
        params: SetMemberInfoParams, completion: ((_ errorKeys: [String]?, _ error: NCError?) -> Void)?
    ) {
        let block = CallerBlock(completion)
        let request = ChatRequest.setGroupMember(
            channelId, user: params.userId, nickname: params.nickname, extra: params.extra)
        engine.ask(request, completion: engine.confirming { block(nil, $0) })
    }

    private func members(_ userIds: [String], _ completion: @escaping Completion<[GroupMemberInfo]>) {
        let request = ChatMembersRequest(channelId, users: userIds, limit: 100)
        guard (1...100).contains(userIds.count) else {
            return completion(.failure(NCError(code: 34215, reason: "Pass 1 to 100 userIds in one call.")))
        }
        engine.ask(.groupMembers(request), completion: completion) { _, answer throws(NCError) in
            guard let page = answer.members else { throw .strangeAnswer }
            return page.members.map(GroupMemberInfo.init)
        }
    }

    private static func info(of ids: [String], _ engine: ChatEngine, _ completion: @escaping Completion<[GroupInfo]>) {
        guard (1...20).contains(ids.count) else {
            return completion(.failure(NCError(.badArgument, reason: "Pass 1 to 20 groupIds in one call.")))
        }
        engine.ask(.groupInfo(ids), completion: completion) { _, answer throws(NCError) in
            guard let page = answer.groups else { throw .strangeAnswer }
            return page.groups.map(GroupInfo.init)
        }
    }

    /// Loads all groups of the user, page by page.
    private static func everything(
        _ engine: ChatEngine, completion: @escaping Completion<[GroupInfo]>,
        _ pick: @escaping @Sendable ([GroupInfo]) -> [GroupInfo]
    ) {
        @Sendable func next(_ after: String?, _ before: [GroupInfo]) {
            let step: Completion<(groups: [GroupInfo], hasMore: Bool)> = { result in
                switch result {
                case .failure(let error): completion(.failure(error))
                case .success(let page):
                    let all = before + page.groups
                    guard page.hasMore, let last = page.groups.last?.groupId, last != after else {
                        return completion(.success(pick(all)))
                    }
                    next(last, all)
                }
            }
            engine.ask(.myGroups(role: nil, after: after, limit: 100), completion: step) { _, answer throws(NCError) in
                guard let page = answer.groups else { throw .strangeAnswer }
                return (page.groups.map(GroupInfo.init), page.hasMore)
            }
        }
        next(nil, [])
    }
}
