import ChatDatabase
import ChatProtocol

extension Message {
    /// Sets metadata of this message, which must be in a direct or group channel. Keys have at most 32 letters, digits, `+`, `=`, `-` and
    /// `_`; values have at most 4096 characters.
    public func setMetadata(_ metadata: [String: String], completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.changeMetadata(of: self, set: metadata, delete: [], taken(engine.confirming(completion)))
    }

    /// Deletes the metadata of this message with the given keys.
    public func deleteMetadata(keys: [String], completion: ((_ error: NCError?) -> Void)?) {
        let engine = NCEngine.engine
        engine.changeMetadata(of: self, set: [:], delete: keys, taken(engine.confirming(completion)))
    }

    /// Sets and deletes metadata of this message.
    ///
    /// - Throws: the reason why the service refused the change.
    public func changeMetadata(set: [String: String] = [:], delete: [String] = []) async throws(NCError) {
        _ = try await awaiting { NCEngine.engine.changeMetadata(of: self, set: set, delete: delete, taken($0)) }
    }

    /// Returns a copy of the message's data with a change.
    func changed(_ change: (inout LocalMessage) -> Void) -> LocalMessage {
        var local = local
        change(&local)
        return local
    }

    /// Returns a completion that stores the changed metadata in this object before it calls `completion`.
    private func taken(_ completion: @escaping Completion<Message>) -> Completion<Message> {
        { result in
            if case .success(let changed) = result {
                let metadata = changed.metadata
                self.update { $0.options.metadata = metadata }
            }
            completion(result)
        }
    }
}
