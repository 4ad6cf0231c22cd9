import ChatProtocol

// Enters and leaves open channels (rules NH-60 to NH-63).
extension OpenChannel {
    /// Enters the channel. The library enters it again after every reconnect, until ``exitChannel(completion:)`` is called.
    ///
    /// Before the completion, handlers get the latest messages, ``OpenChannelHandler/onEntered(_:)`` and
    /// ``OpenChannelHandler/onMetadataSynced(_:)``.
    public func enterChannel(
        params: EnterOpenChannelParams,
        completion: ((_ response: OpenChannelEnterResponseInfo?, _ error: NCError?) -> Void)?
    ) {
        enter(params, engine.answering(completion))
    }

    /// Enters the channel. The library enters it again after every reconnect, until ``exit()`` is called.
    ///
    /// - Throws: the reason why the service refused, such as 23409 for a banned user.
    @discardableResult
    public func enter(_ params: EnterOpenChannelParams = .init()) async throws(NCError) -> OpenChannelEnterResponseInfo {
        try await awaiting { enter(params, $0) }
    }

    /// Leaves the channel.
    public func exitChannel(completion: ((_ error: NCError?) -> Void)?) {
        exit(engine.confirming(completion))
    }

    /// Leaves the channel. Even if the request fails, the library does not enter the channel again after a reconnect.
    ///
    /// - Throws: the reason why the request failed.
    public func exit() async throws(NCError) {
        try await awaiting { exit($0) }
    }

    private func enter(_ params: EnterOpenChannelParams, _ completion: @escaping Completion<OpenChannelEnterResponseInfo>) {
        let entry: ChatEntryRequest
        do throws(NCError) {
            if let extra = params.extra, extra.count > 128 {
                throw NCError(code: 23437, reason: "`extra` has more than 128 characters.")
            }
            entry = ChatEntryRequest(channelId, count: try params.count(), extra: params.extra)
        } catch {
            return completion(.failure(error))
        }
        engine.perform(completion) { (client, completion) throws(NCError) in
            let handlers = client.registry.chat
            handlers.tell([.openChannel(.entering(OpenChannelEnteringEvent(channelId: entry.channel)))], of: client)
            client.enter(entry) { result in
                switch result {
                case .success(let entrance):
                    handlers.tell(EventReader(user: client.user ?? "").entered(entrance), of: client)
                case .failure(let error):
                    let event = OpenChannelEnterFailedEvent(channelId: entry.channel, error: error)
                    handlers.tell([.openChannel(.enterFailed(event))], of: client)
                }
                completion(result.map(OpenChannelEnterResponseInfo.init))
            }
        }
    }

    private func exit(_ completion: @escaping Completion<Void>) {
        let id = channelId
        engine.perform(completion) { (client, completion) throws(NCError) in
            client.exit(id) { result in
                if case .success = result {
                    let event = OpenChannelExitedEvent(channelId: id)
                    client.registry.chat.tell([.openChannel(.exited(event))], of: client)
                }
                completion(result)
            }
        }
    }
}
