import ChatProtocol
import Identifiers

// Subscribes to the online status of users. ``UserHandler/onSubscriptionChanged(_:)`` reports changes. It also reports the present status
// right after subscribing and after every connect (chat-protocol.md, section 9).
extension UserModule {
    /// Subscribes to changes of users.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - completion: called once, on the callback queue. `failedIds` are the users who were not subscribed to, because the limit of
    ///     subscriptions is reached.
    public func subscribeEvent(
        params: SubscribeEventParams, completion: ((_ failedIds: [String]?, _ error: NCError?) -> Void)?
    ) {
        subscribe(params, engine.answering(completion))
    }

    /// Subscribes to changes of users.
    ///
    /// - Returns: the users who were not subscribed to, because the limit of subscriptions is reached.
    /// - Throws: the reason why the service refused.
    @discardableResult
    public func subscribe(_ params: SubscribeEventParams) async throws(NCError) -> [String] {
        try await awaiting { subscribe(params, $0) }
    }

    /// Ends subscriptions to users. The parameters' `expiry` has no effect.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - completion: called once, on the callback queue. `failedIds` is always empty for success.
    public func unsubscribeEvent(
        params: SubscribeEventParams, completion: ((_ failedIds: [String]?, _ error: NCError?) -> Void)?
    ) {
        unsubscribe(params, engine.answering(completion))
    }

    /// Ends subscriptions.
    ///
    /// - Throws: the reason why the service refused.
    public func unsubscribe(_ params: SubscribeEventParams) async throws(NCError) {
        _ = try await awaiting { unsubscribe(params, $0) }
    }

    /// Loads the subscriptions to the users in `params`, or all subscriptions when `params` has no users.
    public func getSubscribeEvent(
        params: SubscribeEventParams, completion: ((_ events: [SubscribeEvent]?, _ error: NCError?) -> Void)?
    ) {
        let wanted = Set(params.userIds.map { Identifier($0) })
        subscriptions(params.subscribeType, completion: engine.answering(completion)) { all in
            wanted.isEmpty ? all : all.filter { wanted.contains(Identifier($0.userId)) }
        }
    }

    /// Lists all subscriptions of the signed-in user, page by page.
    ///
    /// - Parameters:
    ///   - subscribeType: the subscribed property.
    ///   - pageSize: how many subscriptions a page has, 1 … 200.
    public func createSubscribeQuery(subscribeType: SubscribeType = .onlineStatus, pageSize: Int32 = 20) -> SubscribeQuery {
        let size = PageSize.clamped(pageSize, to: 1...200)
        return PagedQuery(engine, cutting: size) { completion in
            self.subscriptions(subscribeType, completion: completion) { $0 }
        }
    }

    private func subscribe(_ params: SubscribeEventParams, _ completion: @escaping Completion<[String]>) {
        do throws(NCError) {
            try Self.check(params.subscribeType)
            guard (60...2_592_000).contains(params.expiry) else {
                throw NCError(.badArgument, reason: "The expiry must be 60 to 2,592,000 seconds.")
            }
            guard (1...200).contains(params.userIds.count) else {
                throw NCError(code: 34215, reason: "Pass 1 to 200 userIds in one call.")
            }
        } catch {
            return completion(.failure(error))
        }
        engine.ask(.subscribeUsers(params.userIds, expiry: params.expiry), completion: completion) { _, answer in
            answer.failed ?? []
        }
    }

    private func unsubscribe(_ params: SubscribeEventParams, _ completion: @escaping Completion<[String]>) {
        engine.ask(.unsubscribeUsers(params.userIds), completion: completion) { _, _ in [] }
    }

    private func subscriptions(
        _ type: SubscribeType, completion: @escaping Completion<[SubscribeEvent]>,
        _ pick: @escaping @Sendable ([SubscribeEvent]) -> [SubscribeEvent]
    ) {
        do throws(NCError) { try Self.check(type) } catch { return completion(.failure(error)) }
        engine.ask(.subscriptions, completion: completion) { _, answer throws(NCError) in
            guard let subscriptions = answer.subscriptions else { throw .strangeAnswer }
            return pick(subscriptions.map(SubscribeEvent.init))
        }
    }

    private static func check(_ type: SubscribeType) throws(NCError) {
        guard type == .onlineStatus else {
            throw NCError(.badArgument, reason: "The service supports only the subscribeType onlineStatus.")
        }
    }
}
