import Foundation
import PubNubProtocol

// Methods for memberships of users in channels (App Context). Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Makes a user a member of channels.
    public func setMembershipsWith(
        _ request: PNSetMembershipsRequest, completion block: PNManageMembershipsCompletionBlock? = nil
    ) {
        var draft = RelationDraft(operation: .setMembershipsOperation, id: request.uuid, set: request.channels)
        draft.take(request, request.includeFields)
        changeMemberships(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Ends memberships of a user in channels.
    public func removeMemberships(
        with request: PNRemoveMembershipsRequest, completion block: PNManageMembershipsCompletionBlock? = nil
    ) {
        var draft = RelationDraft(operation: .removeMembershipsOperation, id: request.uuid, remove: request.channels)
        draft.take(request, request.includeFields)
        changeMemberships(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Makes a user a member of channels and ends the user's memberships in other channels.
    public func manageMemberships(
        with request: PNManageMembershipsRequest, completion block: PNManageMembershipsCompletionBlock? = nil
    ) {
        var draft = RelationDraft(
            operation: .manageMembershipsOperation, id: request.uuid, set: request.setChannels ?? [],
            remove: request.removeChannels ?? [])
        draft.take(request, request.includeFields)
        changeMemberships(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Fetches one page of a user's memberships.
    public func memberships(
        with request: PNFetchMembershipsRequest, completion block: @escaping PNFetchMembershipsCompletionBlock
    ) {
        var draft = RelationDraft(operation: .fetchMembershipsOperation, id: request.uuid)
        draft.take(request, request.includeFields)
        fetchMemberships(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Makes users members of a channel.
    public func setChannelMembersWith(
        _ request: PNSetChannelMembersRequest, completion block: PNManageChannelMembersCompletionBlock? = nil
    ) {
        var draft = RelationDraft(operation: .setChannelMembersOperation, id: request.channel, set: request.uuids)
        draft.take(request, request.includeFields)
        changeMembers(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Ends memberships of users in a channel.
    public func removeChannelMembers(
        with request: PNRemoveChannelMembersRequest, completion block: PNManageChannelMembersCompletionBlock? = nil
    ) {
        var draft = RelationDraft(operation: .removeChannelMembersOperation, id: request.channel, remove: request.uuids)
        draft.take(request, request.includeFields)
        changeMembers(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Makes users members of a channel and ends memberships of other users.
    public func manageChannelMembers(
        with request: PNManageChannelMembersRequest, completion block: PNManageChannelMembersCompletionBlock? = nil
    ) {
        var draft = RelationDraft(
            operation: .manageChannelMembersOperation, id: request.channel, set: request.setMembers ?? [],
            remove: request.removeMembers ?? [])
        draft.take(request, request.includeFields)
        changeMembers(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Fetches one page of a channel's members.
    public func channelMembers(
        with request: PNFetchChannelMembersRequest, completion block: @escaping PNFetchChannelMembersCompletionBlock
    ) {
        var draft = RelationDraft(operation: .fetchChannelMembersOperation, id: request.channel)
        draft.take(request, request.includeFields)
        fetchMembers(draft, query: request.arbitraryQueryParameters, block)
    }
}

extension RelationDraft {
    fileprivate mutating func take(_ request: PNObjectsPaginatedRequest, _ fields: PNMembershipFields) {
        include = fields.include
        page = request.page(includesCount: fields.contains(.membershipsTotalCountField))
    }

    fileprivate mutating func take(_ request: PNObjectsPaginatedRequest, _ fields: PNChannelMemberFields) {
        include = fields.include
        page = request.page(includesCount: fields.contains(.membersTotalCountField))
    }
}

// The implementation of calls about memberships, for the public methods and the call builders.
extension PubNub {
    func changeMemberships(
        _ draft: RelationDraft, query: [AnyHashable: Any]?, _ block: PNManageMembershipsCompletionBlock?
    ) {
        let user = draft.id ?? uuid()
        start(draft.operation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubObjectsCall(
                .set(try draft.content("channel")), .memberships(user: user), include: draft.include, page: draft.page.page)
        } then: {
            block?(PNManageMembershipsStatus($0))
        }
    }

    func fetchMemberships(
        _ draft: RelationDraft, query: [AnyHashable: Any]?, _ block: @escaping PNFetchMembershipsCompletionBlock
    ) {
        let user = draft.id ?? uuid()
        startForResult(draft.operation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.get, .memberships(user: user), include: draft.include, page: draft.page.page)
        } result: {
            PNFetchMembershipsResult($0, $1)
        } then: {
            block($0, $1)
        }
    }

    func changeMembers(
        _ draft: RelationDraft, query: [AnyHashable: Any]?, _ block: PNManageChannelMembersCompletionBlock?
    ) {
        start(draft.operation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubObjectsCall(
                .set(try draft.content("uuid")), .members(channel: draft.id ?? ""), include: draft.include,
                page: draft.page.page)
        } then: {
            block?(PNManageChannelMembersStatus($0))
        }
    }

    func fetchMembers(
        _ draft: RelationDraft, query: [AnyHashable: Any]?, _ block: @escaping PNFetchChannelMembersCompletionBlock
    ) {
        startForResult(draft.operation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.get, .members(channel: draft.id ?? ""), include: draft.include, page: draft.page.page)
        } result: {
            PNFetchChannelMembersResult($0, $1)
        } then: {
            block($0, $1)
        }
    }
}
