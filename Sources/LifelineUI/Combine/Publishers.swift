#if canImport(Combine)
    import Combine

    extension LifelineClient {
        /// The statuses of the connection, beginning with the present one. Each read of the property gives a publisher for one subscriber; use
        /// `share()` for several. Received on a thread of the Swift runtime; use `receive(on:)` for the main thread. It does not keep
        /// the client alive, and finishes with it.
        public var statusPublisher: AnyPublisher<ConnectionStatus, Never> {
            ElementPublisher(elements: statuses).eraseToAnyPublisher()
        }
    }

    extension Room {
        /// The messages, gaps and failures of the channel; it finishes with the subscription. For one subscriber, as
        /// ``Lifeline/LifelineClient/statusPublisher``.
        public var deliveryPublisher: AnyPublisher<Delivery, Never> {
            ElementPublisher(elements: deliveries).eraseToAnyPublisher()
        }

        /// The messages of the channel; it finishes with the subscription. For one subscriber, as
        /// ``Lifeline/LifelineClient/statusPublisher``.
        public var messagePublisher: AnyPublisher<Message, Never> {
            ElementPublisher(elements: messages).eraseToAnyPublisher()
        }
    }

    extension Presence {
        /// The members of the channel, as whole lists; it finishes with the subscription. For one subscriber, as
        /// ``Lifeline/LifelineClient/statusPublisher``.
        public var memberPublisher: AnyPublisher<[Member], Never> {
            ElementPublisher(elements: memberLists).eraseToAnyPublisher()
        }
    }
#endif
