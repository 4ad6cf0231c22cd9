import ConnectionEngine
import EngineRuntime
import Foundation
import Identifiers
import PubNubProtocol

// Methods that subscribe to channels and groups. None of them blocks; listeners get the outcomes as statuses.
extension PubNub {
    // MARK: Names of the subscribed channels and groups

    /// The subscribed channels, without presence channels.
    public func channels() -> [String] {
        wantedList.channels.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) }
    }

    /// The subscribed channel groups, including groups for presence events, whose names end in `-pnpres`.
    public func channelGroups() -> [String] { wantedList.groups }

    /// The subscribed presence channels; their names end in `-pnpres`.
    public func presenceChannels() -> [String] {
        wantedList.channels.filter { $0.hasByteSuffix(PubNubMessage.presenceSuffix) }
    }

    /// Whether the client is subscribed to a channel, group or presence channel of this name.
    public func isSubscribed(on name: String) -> Bool {
        wanted.withLockedValue { $0.contains(name) }
    }

    // MARK: Subscribing

    /// Subscribes to channels, in addition to the channels that are already subscribed. Subscribing to the same channels again, or to no
    /// channel, makes the client send a new subscribe request.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - shouldObservePresence: whether to subscribe to the presence events of the channels as well.
    public func subscribeToChannels(_ channels: [String], withPresence shouldObservePresence: Bool) {
        subscribe(channels: channels, withPresence: shouldObservePresence)
    }

    /// Subscribes to channels, beginning at a timetoken.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - shouldObservePresence: whether to subscribe to the presence events of the channels as well.
    ///   - timeToken: the timetoken to begin at; nil to continue at the subscription's position.
    public func subscribeToChannels(
        _ channels: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?
    ) {
        subscribe(channels: channels, withPresence: shouldObservePresence, timetoken: timeToken)
    }

    /// Subscribes to channels and sets the user's presence state on them.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - shouldObservePresence: whether to subscribe to the presence events of the channels as well.
    ///   - state: the state of each channel, a dictionary, by the channel's name. A state that is not a dictionary is left out and logged.
    public func subscribeToChannels(
        _ channels: [String], withPresence shouldObservePresence: Bool, clientState state: [String: Any]?
    ) {
        subscribe(channels: channels, withPresence: shouldObservePresence, state: state)
    }

    /// Subscribes to channels, beginning at a timetoken, and sets the user's presence state on them.
    public func subscribeToChannels(
        _ channels: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?,
        clientState state: [String: Any]?
    ) {
        subscribe(channels: channels, withPresence: shouldObservePresence, timetoken: timeToken, state: state)
    }

    /// Subscribes to all channels of groups, including channels that are added to a group later.
    public func subscribeToChannelGroups(_ groups: [String], withPresence shouldObservePresence: Bool) {
        subscribe(groups: groups, withPresence: shouldObservePresence)
    }

    /// Subscribes to channel groups, beginning at a timetoken.
    public func subscribeToChannelGroups(
        _ groups: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?
    ) {
        subscribe(groups: groups, withPresence: shouldObservePresence, timetoken: timeToken)
    }

    /// Subscribes to channel groups and sets the user's presence state on them.
    public func subscribeToChannelGroups(
        _ groups: [String], withPresence shouldObservePresence: Bool, clientState state: [String: Any]?
    ) {
        subscribe(groups: groups, withPresence: shouldObservePresence, state: state)
    }

    /// Subscribes to channel groups, beginning at a timetoken, and sets the user's presence state on them.
    public func subscribeToChannelGroups(
        _ groups: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?,
        clientState state: [String: Any]?
    ) {
        subscribe(groups: groups, withPresence: shouldObservePresence, timetoken: timeToken, state: state)
    }

    /// Subscribes to the presence events of channels. The client does not receive their messages, and the user does not become present on
    /// them.
    public func subscribeToPresenceChannels(_ channels: [String]) {
        subscribe(PubNubList(channels: channels.presenceNames), timetoken: nil, state: [:])
    }

    // MARK: Unsubscribing

    /// Unsubscribes from channels. The client notifies the service that the user left, unless ``PNConfiguration/suppressLeaveEvents`` is
    /// true.
    public func unsubscribeFromChannels(_ channels: [String], withPresence shouldObservePresence: Bool) {
        unsubscribe(PubNubList(channels: channels.named(withPresence: shouldObservePresence)))
    }

    /// Unsubscribes from groups.
    public func unsubscribeFromChannelGroups(_ groups: [String], withPresence shouldObservePresence: Bool) {
        unsubscribe(PubNubList(groups: groups.named(withPresence: shouldObservePresence)))
    }

    /// Unsubscribes from the presence events of channels.
    public func unsubscribeFromPresenceChannels(_ channels: [String]) {
        unsubscribe(PubNubList(channels: channels.presenceNames))
    }

    /// Unsubscribes from all channels and groups.
    public func unsubscribeFromAll() {
        unsubscribeFromAll(completion: nil)
    }

    /// Unsubscribes from all channels and groups.
    ///
    /// - Parameter block: called on the callback queue when the client has unsubscribed, after the listeners have got the status.
    public func unsubscribeFromAll(completion block: ((PNStatus) -> Void)?) {
        let block = block.map { CallerBlock($0) }
        let isEmpty = commands.withLock {
            let wasEmpty = wanted.withLockedValue { wanted in
                defer { wanted.removeAll() }
                return wanted.isEmpty
            }
            let mustConnect = beginUnsubscribing()
            if !wasEmpty {
                let finish = block.map { finishUnsubscribing($0) }
                engine.perform(.unsubscribeAll) { [weak self] in
                    if mustConnect { self?.engine.connect() }
                    // The block is called even if the client was released before the engine answered (rule PK-77).
                    finish?()
                }
            }
            return wasEmpty
        }
        if isEmpty, let block { finishUnsubscribing(block)() }
    }

    /// Makes a closure that calls `block` with the status "unsubscribed from all". The block is called after all deliveries to listeners
    /// that were queued before.
    private func finishUnsubscribing(_ block: CallerBlock<PNStatus>) -> @Sendable () -> Void {
        let draft = StatusDraft(
            kind: .acknowledgment, operation: .unsubscribeOperation, category: .PNDisconnectedCategory, list: PubNubList())
        let status = status(draft)
        return { [line] in line.run { block(status) } }
    }

    // MARK: Filter

    /// A filter expression over the metadata of messages, such as `priority > 3`. The service sends only matching messages; nil for all
    /// messages. An expression with a syntax error leads to `PNMalformedFilterExpressionCategory`, and the client receives nothing until
    /// the expression is changed.
    public var filterExpression: String? {
        get { filter.withLockedValue { $0 } }
        set {
            commands.withLock {
                filter.withLockedValue { $0 = newValue }
                script.withLockedValue { $0.begin() }
                engine.perform(.setFilter(newValue))
                if !wanted.withLockedValue({ $0.isEmpty }) { engine.connect() }
            }
        }
    }

    // MARK: Changes of the subscription

    var wantedList: PubNubList { wanted.withLockedValue { $0.list } }

    private func subscribe(
        channels: [String] = [], groups: [String] = [], withPresence: Bool, timetoken: NSNumber? = nil,
        state: [String: Any]? = nil
    ) {
        let list = PubNubList(
            channels: channels.named(withPresence: withPresence), groups: groups.named(withPresence: withPresence))
        subscribe(list, timetoken: timetoken.map { Timetoken(rawValue: $0.uint64Value) }, state: stateTexts(state))
    }

    /// Encodes each state as JSON text. Values that are not dictionaries of JSON values are left out and logged.
    func stateTexts(_ state: [String: Any]?) -> [Identifier: String] {
        var texts: [Identifier: String] = [:]
        for (name, value) in state ?? [:] {
            if value is [String: Any], let text = FoundationJSON.text(value) {
                texts[Identifier(name)] = text
            } else {
                logger.log(.PNFailureStatusLogLevel, "<PubNub> presence state that is not a JSON dictionary was left out")
            }
        }
        return texts
    }

    func subscribe(_ list: PubNubList, timetoken: Timetoken?, state: [Identifier: String]) {
        let isNothing = commands.withLock {
            let isNothing = wanted.withLockedValue { wanted in
                wanted.add(list)
                return wanted.isEmpty
            }
            if isNothing { return true }
            script.withLockedValue { $0.begin() }
            engine.perform(.subscribe(list, timetoken: timetoken, state: state))
            engine.connect()
            return false
        }
        guard isNothing else { return }
        // The status is put into the queue of deliveries instead of being delivered here, because the engine's thread may be delivering at
        // this moment. Sequences of messages do not need statuses.
        let status = status(StatusDraft(category: .PNDisconnectedCategory, list: list))
        deliveries.sendToCallbacks([.status(status)])
        statusDeliveries.send([.status(status)])
    }

    /// Whether the client has to connect in order to send the leave request: true when the last attempt to connect has failed and no
    /// attempt is in progress (rule PX-52).
    private func beginUnsubscribing() -> Bool {
        script.withLockedValue { script in
            script.begin()
            return [.waiting, .suspended, .failed].contains(script.phase)
        }
    }

    func unsubscribe(_ list: PubNubList) {
        commands.withLock {
            let mayRemain = wanted.withLockedValue { wanted in
                wanted.remove(list)
                return !wanted.isEmpty
            }
            let mustConnect = beginUnsubscribing()
            engine.perform(.unsubscribe(list))
            // The last attempt may have failed because access to a channel was denied or the list of names was too long. Without the
            // removed names the subscription may succeed, so the client connects.
            if mayRemain || mustConnect { engine.connect() }
        }
    }
}

extension String {
    var withPresenceSuffix: String {
        hasByteSuffix(PubNubMessage.presenceSuffix) ? self : self + PubNubMessage.presenceSuffix
    }
}

extension [String] {
    /// These names of channels or groups with the presence suffix `-pnpres`. Empty names are left out.
    fileprivate var presenceNames: [String] { filter { !$0.isEmpty }.map(\.withPresenceSuffix) }

    /// These names of channels or groups, followed by the names of their presence channels if `withPresence` is true. Empty names are left
    /// out.
    func named(withPresence: Bool) -> [String] {
        let names = filter { !$0.isEmpty }
        guard withPresence else { return names }
        return names + names.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) }.map(\.withPresenceSuffix)
    }
}
