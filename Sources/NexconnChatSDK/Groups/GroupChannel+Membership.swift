import NexconnProtocol

// Who is in a group. Every completion is called once, on the callback queue (rule NH-1); errors are those of the session document,
// section 10.
extension GroupChannel {
    /// Creates a group with the user as owner.
    ///
    /// - Parameter completion: `processCode` is 0 when it is done. `errorKeys` names what was wrong with the parameters; this
    ///   service says that in words, so it is nil.
    public static func createGroup(
        params: CreateGroupParams,
        completion: ((_ processCode: Int, _ errorKeys: [String]?, _ error: NCError?) -> Void)?
    ) {
        let block = CallerBlock(completion)
        let registry = NCEngine.registry
        create(params) { result in
            registry.run {
                switch result {
                case .success(let process): block(process, nil, nil)
                case .failure(let error): block(error.code, nil, error)
                }
            }
        }
    }

    /// Creates a group with the user as owner.
    public static func create(_ params: CreateGroupParams) async throws(NCError) -> GroupChannel {
        guard let channel = GroupChannel(channelId: params.groupId) else { throw Self.badID }
        _ = try await awaiting { create(params, $0) }
        return channel
    }

    private static func create(_ params: CreateGroupParams, _ completion: @escaping Completion<Int>) {
        guard ChannelIdentifier.isValid(params.groupId) else { return completion(.failure(badID)) }
        NCEngine.engine.ask(.createGroup(params.wire, users: params.inviteeUserIds ?? []), completion) { _, answer in
            answer.process ?? 0
        }
    }

    private static var badID: NCError { NCError(code: 34210, reason: "An id has 1 to 64 characters.") }

    /// Joins the group.
    ///
    /// - Parameter completion: `processCode` is 0 when it is done.
    public func join(completion: ((_ processCode: Int, _ error: NCError?) -> Void)?) {
        process(.joinGroup(channelId), completion)
    }

    /// Joins the group.
    public func join() async throws(NCError) {
        try await awaiting { engine.ask(.joinGroup(channelId), $0) }
    }

    /// Brings users in.
    ///
    /// - Parameters:
    ///   - userIds: 1 … 100.
    ///   - completion: `processCode` is 0 when it is done.
    public func inviteUsers(userIds: [String], completion: ((_ processCode: Int, _ error: NCError?) -> Void)?) {
        process(.inviteToGroup(channelId, users: userIds), completion)
    }

    /// Brings users in: 1 … 100.
    public func invite(_ userIds: [String]) async throws(NCError) {
        try await awaiting { engine.ask(.inviteToGroup(channelId, users: userIds), $0) }
    }

    /// Leaves the group. Its owner cannot (25417): transfer or dismiss it.
    public func leave(completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.quitGroup(channelId), engine.confirming(completion))
    }

    /// Leaves the group. Its owner cannot (25417): transfer or dismiss it.
    public func leave() async throws(NCError) {
        try await awaiting { engine.ask(.quitGroup(channelId), $0) }
    }

    /// Ends the group. Its owner only.
    public func dismiss(completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.dismissGroup(channelId), engine.confirming(completion))
    }

    /// Ends the group. Its owner only.
    public func dismiss() async throws(NCError) {
        try await awaiting { engine.ask(.dismissGroup(channelId), $0) }
    }

    /// Removes members.
    public func kickMembers(params: KickMembersParams, completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.kickFromGroup(channelId, users: params.userIds), engine.confirming(completion))
    }

    /// Removes members: 1 … 100.
    public func kick(_ userIds: [String]) async throws(NCError) {
        try await awaiting { engine.ask(.kickFromGroup(channelId, users: userIds), $0) }
    }

    /// Gives the group to another member. Its owner only.
    public func transferOwner(params: TransferOwnerParams, completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(
            .transferGroup(channelId, to: params.newOwnerId, leave: params.leaveAfterTransfer), engine.confirming(completion))
    }

    /// Makes members managers. The owner only.
    public func addAdmins(userIds: [String], completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.changeAdmins(channelId, add: userIds, remove: []), engine.confirming(completion))
    }

    /// Makes managers members again. The owner only.
    public func removeAdmins(userIds: [String], completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.changeAdmins(channelId, add: [], remove: userIds), engine.confirming(completion))
    }

    private func process(_ request: NexconnRequest, _ completion: ((Int, NCError?) -> Void)?) {
        let block = CallerBlock(completion)
        let registry = engine.registry
        let end: Completion<Int> = { result in
            registry.run {
                switch result {
                case .success(let process): block(process, nil)
                case .failure(let error): block(error.code, error)
                }
            }
        }
        engine.ask(request, end) { _, answer in answer.process ?? 0 }
    }
}
