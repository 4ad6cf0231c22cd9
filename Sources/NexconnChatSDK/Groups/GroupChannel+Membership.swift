import ChatProtocol
import EngineRuntime

// Creates, joins, leaves and administers groups. Every completion is called once, on the callback queue (rule NH-1). chat-protocol.md,
// section 10, lists the errors.
extension GroupChannel {
    /// Creates a group whose owner is the signed-in user.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - completion: called once, on the callback queue. `processCode` is 0 for success. `errorKeys` is always nil; the error's text
    ///     describes invalid parameters.
    public static func createGroup(
        params: CreateGroupParams,
        completion: ((_ processCode: Int, _ errorKeys: [String]?, _ error: NCError?) -> Void)?
    ) {
        let block = CallerBlock(completion)
        let registry = NCEngine.registry
        create(params) { result in
            registry.run {
                switch result {
                case .success(let process): block((process, nil, nil))
                case .failure(let error): block((error.code, nil, error))
                }
            }
        }
    }

    /// Creates a group whose owner is the signed-in user.
    ///
    /// - Throws: 25409 when a group with this id exists; otherwise the reason why the service refused.
    public static func create(_ params: CreateGroupParams) async throws(NCError) -> GroupChannel {
        guard let channel = GroupChannel(channelId: params.groupId) else { throw Self.badID }
        _ = try await awaiting { create(params, $0) }
        return channel
    }

    private static func create(_ params: CreateGroupParams, _ completion: @escaping Completion<Int>) {
        guard ChannelIdentifier.isValid(params.groupId) else { return completion(.failure(badID)) }
        NCEngine.engine.ask(.createGroup(params.wire, users: params.inviteeUserIds ?? []), completion: completion) { _, answer in
            answer.process ?? 0
        }
    }

    private static var badID: NCError { NCError(code: 34210, reason: "The groupId must have 1 to 64 characters.") }

    /// Joins the group.
    ///
    /// - Parameter completion: called once, on the callback queue. `processCode` is 0 for success.
    public func join(completion: ((_ processCode: Int, _ error: NCError?) -> Void)?) {
        process(.joinGroup(channelId), completion)
    }

    /// Joins the group.
    ///
    /// - Throws: 25412 when the user is a member already; 25414 or 25424 when the group's ``GroupInfo/joinPermission`` forbids it.
    public func join() async throws(NCError) {
        try await awaiting { engine.ask(.joinGroup(channelId), completion: $0) }
    }

    /// Adds users to the group as members.
    ///
    /// - Parameters:
    ///   - userIds: 1 … 100 ids.
    ///   - completion: called once, on the callback queue. `processCode` is 0 for success.
    public func inviteUsers(userIds: [String], completion: ((_ processCode: Int, _ error: NCError?) -> Void)?) {
        process(.inviteToGroup(channelId, users: userIds), completion)
    }

    /// Adds 1 … 100 users to the group as members.
    ///
    /// - Throws: 25426 when the group's ``GroupInfo/invitePermission`` forbids it; 405 when one of the users has blocked the signed-in
    ///   user.
    public func invite(_ userIds: [String]) async throws(NCError) {
        try await awaiting { engine.ask(.inviteToGroup(channelId, users: userIds), completion: $0) }
    }

    /// Leaves the group. The owner cannot leave (error 25417); transfer or dismiss the group instead.
    public func leave(completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.quitGroup(channelId), completion: engine.confirming(completion))
    }

    /// Leaves the group. The owner cannot leave; transfer or dismiss the group instead.
    ///
    /// - Throws: 25417 for the owner.
    public func leave() async throws(NCError) {
        try await awaiting { engine.ask(.quitGroup(channelId), completion: $0) }
    }

    /// Dismisses the group. Only its owner may do this.
    public func dismiss(completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.dismissGroup(channelId), completion: engine.confirming(completion))
    }

    /// Dismisses the group. Only its owner may do this.
    ///
    /// - Throws: 25404 when the user is not the owner.
    public func dismiss() async throws(NCError) {
        try await awaiting { engine.ask(.dismissGroup(channelId), completion: $0) }
    }

    /// Removes members.
    public func kickMembers(params: KickMembersParams, completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.kickFromGroup(channelId, users: params.userIds), completion: engine.confirming(completion))
    }

    /// Removes 1 … 100 members from the group.
    ///
    /// - Throws: the reason why the service refused, such as a missing permission.
    public func kick(_ userIds: [String]) async throws(NCError) {
        try await awaiting { engine.ask(.kickFromGroup(channelId, users: userIds), completion: $0) }
    }

    /// Transfers the group to another member. Only its owner may do this.
    public func transferOwner(params: TransferOwnerParams, completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(
            .transferGroup(channelId, to: params.newOwnerId, leave: params.leaveAfterTransfer),
            completion: engine.confirming(completion))
    }

    /// Makes members of the group managers. Only the owner may do this.
    public func addAdmins(userIds: [String], completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.changeAdmins(channelId, add: userIds, remove: []), completion: engine.confirming(completion))
    }

    /// Makes managers of the group normal members. Only the owner may do this.
    public func removeAdmins(userIds: [String], completion: ((_ error: NCError?) -> Void)?) {
        engine.ask(.changeAdmins(channelId, add: [], remove: userIds), completion: engine.confirming(completion))
    }

    private func process(_ request: ChatRequest, _ completion: ((Int, NCError?) -> Void)?) {
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
        engine.ask(request, completion: end) { _, answer in answer.process ?? 0 }
    }
}
