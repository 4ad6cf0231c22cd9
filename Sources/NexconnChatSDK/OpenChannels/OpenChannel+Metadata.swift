import ChatProtocol

// Reads and changes the metadata of an open channel, at most 100 entries. Only users in the channel have access to it.
extension OpenChannel {
    /// Loads all metadata of the channel.
    public func getAllMetadata(completion: ((_ metadata: [String: String]?, _ error: NCError?) -> Void)?) {
        pairs(nil, engine.answering(completion))
    }

    /// Loads one entry of the channel's metadata; the result is empty when there is no entry with this key.
    public func getMetadata(key: String, completion: ((_ metadata: [String: String]?, _ error: NCError?) -> Void)?) {
        pairs(key, engine.answering(completion))
    }

    /// Loads all metadata of the channel.
    ///
    /// - Throws: the reason why the service did not answer, such as 23406 when the user has not entered the channel.
    public func metadata() async throws(NCError) -> [String: String] {
        try await awaiting { pairs(nil, $0) }
    }

    /// Sets 1 … 10 entries of the channel's metadata.
    public func setMetadata(params: SetOpenChannelMetadataParams, completion: ((_ error: NCError?) -> Void)?) {
        set(params, engine.confirming(completion))
    }

    /// Sets 1 … 10 entries of the channel's metadata.
    ///
    /// - Throws: the reason why the service refused; no entry was set then.
    public func setMetadata(_ params: SetOpenChannelMetadataParams) async throws(NCError) {
        try await awaiting { set(params, $0) }
    }

    /// Deletes 1 … 10 entries of the channel's metadata.
    public func deleteMetadata(params: DeleteOpenChannelMetadataParams, completion: ((_ error: NCError?) -> Void)?) {
        delete(params, engine.confirming(completion))
    }

    /// Deletes 1 … 10 entries of the channel's metadata.
    ///
    /// - Throws: the reason why the service refused; no entry was deleted then.
    public func deleteMetadata(_ params: DeleteOpenChannelMetadataParams) async throws(NCError) {
        try await awaiting { delete(params, $0) }
    }

    private func pairs(_ key: String?, _ completion: @escaping Completion<[String: String]>) {
        engine.ask(.openMetadata(channelId), completion: completion) { _, answer throws(NCError) in
            guard let entries = answer.openMetadata else { throw .strangeAnswer }
            let wanted = entries.filter { key == nil || $0.key == key }
            return Dictionary(wanted.map { ($0.key, $0.value) }) { _, last in last }
        }
    }

    private func set(_ params: SetOpenChannelMetadataParams, _ completion: @escaping Completion<Void>) {
        guard (1...10).contains(params.metadata.count) else { return completion(.failure(Self.tooMany)) }
        engine.ask(
            .setOpenMetadata(
                channelId, params.metadata, overwrite: params.overwrite, deleteWhenLeft: params.deleteWhenLeft),
            completion: completion)
    }

    private func delete(_ params: DeleteOpenChannelMetadataParams, _ completion: @escaping Completion<Void>) {
        guard (1...10).contains(params.keys.count) else { return completion(.failure(Self.tooMany)) }
        engine.ask(.deleteOpenMetadata(channelId, keys: params.keys, force: params.isForce), completion: completion)
    }

    private static var tooMany: NCError { NCError(code: 23429, reason: "Set or delete 1 to 10 metadata entries in one call.") }
}
