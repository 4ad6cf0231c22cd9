import Foundation
import PubNubProtocol

// Methods for data about users and channels (App Context). Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Sets data about a user. A field of the request that is nil stays unchanged.
    public func setUUIDMetadataWith(
        _ request: PNSetUUIDMetadataRequest, completion block: PNSetUUIDMetadataCompletionBlock? = nil
    ) {
        var draft = ObjectDraft(id: request.uuid, custom: request.custom, include: request.includeFields.include)
        draft.fields["name"] = request.name
        draft.fields["externalId"] = request.externalId
        draft.fields["profileUrl"] = request.profileUrl
        draft.fields["email"] = request.email
        setUser(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Removes the data about a user.
    public func removeUUIDMetadata(
        with request: PNRemoveUUIDMetadataRequest, completion block: PNRemoveUUIDMetadataCompletionBlock? = nil
    ) {
        removeUser(ObjectDraft(id: request.uuid), query: request.arbitraryQueryParameters, block)
    }

    /// Fetches the data about a user.
    public func uuidMetadata(
        with request: PNFetchUUIDMetadataRequest, completion block: @escaping PNFetchUUIDMetadataCompletionBlock
    ) {
        let draft = ObjectDraft(id: request.uuid, include: request.includeFields.include)
        fetchUser(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Fetches one page of the data about all users.
    public func allUUIDMetadata(
        with request: PNFetchAllUUIDMetadataRequest, completion block: @escaping PNFetchAllUUIDMetadataCompletionBlock
    ) {
        let fields = request.includeFields
        let draft = ObjectDraft(
            include: fields.include, page: request.page(includesCount: fields.contains(.totalCountField)))
        fetchUsers(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Sets data about a channel. A field of the request that is nil stays unchanged.
    public func setChannelMetadataWith(
        _ request: PNSetChannelMetadataRequest, completion block: PNSetChannelMetadataCompletionBlock? = nil
    ) {
        var draft = ObjectDraft(id: request.channel, custom: request.custom, include: request.includeFields.include)
        if !request.name.isEmpty { draft.fields["name"] = request.name }
        draft.fields["description"] = request.information
        setChannel(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Removes the data about a channel.
    public func removeChannelMetadata(
        with request: PNRemoveChannelMetadataRequest, completion block: PNRemoveChannelMetadataCompletionBlock? = nil
    ) {
        removeChannel(ObjectDraft(id: request.channel), query: request.arbitraryQueryParameters, block)
    }

    /// Fetches the data about a channel.
    public func channelMetadata(
        with request: PNFetchChannelMetadataRequest, completion block: @escaping PNFetchChannelMetadataCompletionBlock
    ) {
        let draft = ObjectDraft(id: request.channel, include: request.includeFields.include)
        fetchChannel(draft, query: request.arbitraryQueryParameters, block)
    }

    /// Fetches one page of the data about all channels.
    public func allChannelsMetadata(
        with request: PNFetchAllChannelsMetadataRequest,
        completion block: @escaping PNFetchAllChannelsMetadataCompletionBlock
    ) {
        let fields = request.includeFields
        let draft = ObjectDraft(
            include: fields.include, page: request.page(includesCount: fields.contains(.totalCountField)))
        fetchChannels(draft, query: request.arbitraryQueryParameters, block)
    }
}

// The implementation of calls about metadata of users and channels, for the public methods and the call builders.
extension PubNub {
    func setUser(_ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: PNSetUUIDMetadataCompletionBlock?) {
        let user = draft.id ?? uuid()
        start(.setUUIDMetadataOperation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubObjectsCall(.set(try draft.content()), .user(user), include: draft.include)
        } then: {
            block?(PNSetUUIDMetadataStatus($0))
        }
    }

    func removeUser(_ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: PNRemoveUUIDMetadataCompletionBlock?) {
        let user = draft.id ?? uuid()
        start(.removeUUIDMetadataOperation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.remove, .user(user))
        } then: {
            block?(PNAcknowledgmentStatus(status: $0.statusFacts))
        }
    }

    func fetchUser(_ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: @escaping PNFetchUUIDMetadataCompletionBlock) {
        let user = draft.id ?? uuid()
        startForResult(.fetchUUIDMetadataOperation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.get, .user(user), include: draft.include)
        } result: {
            PNFetchUUIDMetadataResult($0, $1)
        } then: {
            block($0, $1)
        }
    }

    func fetchUsers(
        _ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: @escaping PNFetchAllUUIDMetadataCompletionBlock
    ) {
        startForResult(.fetchAllUUIDMetadataOperation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.get, .users, include: draft.include, page: draft.page.page)
        } result: {
            PNFetchAllUUIDMetadataResult($0, $1)
        } then: {
            block($0, $1)
        }
    }

    func setChannel(_ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: PNSetChannelMetadataCompletionBlock?) {
        start(.setChannelMetadataOperation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubObjectsCall(.set(try draft.content()), .channel(draft.id ?? ""), include: draft.include)
        } then: {
            block?(PNSetChannelMetadataStatus($0))
        }
    }

    func removeChannel(_ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: PNRemoveChannelMetadataCompletionBlock?) {
        start(.removeChannelMetadataOperation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.remove, .channel(draft.id ?? ""))
        } then: {
            block?(PNAcknowledgmentStatus(status: $0.statusFacts))
        }
    }

    func fetchChannel(
        _ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: @escaping PNFetchChannelMetadataCompletionBlock
    ) {
        startForResult(.fetchChannelMetadataOperation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.get, .channel(draft.id ?? ""), include: draft.include)
        } result: {
            PNFetchChannelMetadataResult($0, $1)
        } then: {
            block($0, $1)
        }
    }

    func fetchChannels(
        _ draft: ObjectDraft, query: [AnyHashable: Any]?, _ block: @escaping PNFetchAllChannelsMetadataCompletionBlock
    ) {
        startForResult(.fetchAllChannelsMetadataOperation, extras: CallExtras(query: query)) {
            PubNubObjectsCall(.get, .channels, include: draft.include, page: draft.page.page)
        } result: {
            PNFetchAllChannelsMetadataResult($0, $1)
        } then: {
            block($0, $1)
        }
    }
}
