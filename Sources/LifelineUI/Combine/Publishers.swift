#if canImport(Combine)
    import Combine

    extension LifelineClient {
        /// Publishes the statuses of the connection, beginning with the present one. Each read of the property returns a publisher for one
        /// subscriber; use `share()` for several. Statuses are received on a thread of the Swift runtime; use `receive(on:)` for the main
        /// thread.
        ///
        /// The publisher does not keep the client alive, and finishes when the client is released.
        public var statusPublisher: AnyPublisher<ConnectionStatus, Never> {
            ElementPublisher(elements: statuses).eraseToAnyPublisher()
        }
    }

    extension Room {
        /// Publishes the messages, gaps and failures of the channel; finishes with the subscription. The publisher is for one subscriber;
        /// ``Lifeline/LifelineClient/statusPublisher`` describes its use.
        public var deliveryPublisher: AnyPublisher<Delivery, Never> {
            ElementPublisher(elements: deliveries).eraseToAnyPublisher()
        }

        /// Publishes the messages of the channel; finishes with the subscription. The publisher is for one subscriber;
        /// ``Lifeline/LifelineClient/statusPublisher`` describes its use.
        public var messagePublisher: AnyPublisher<Message, Never> {
            ElementPublisher(elements: messages).eraseToAnyPublisher()
        }
    }

    extension Presence {
        /// Publishes the members of the channel, as whole lists; finishes with the subscription. The publisher is for one subscriber;
        /// ``Lifeline/LifelineClient/statusPublisher`` describes its use.
        public var memberPublisher: AnyPublisher<[Member], Never> {
            ElementPublisher(elements: memberLists).eraseToAnyPublisher()
        }
    }
#endif
