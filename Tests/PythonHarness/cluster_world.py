"""Users of chat on the nodes of a cluster."""

from chat_client import ChatSession, ServerAPI


class World:
    """Users whose devices are on nodes of their own."""

    def __init__(self, ports, name):
        self.ports, self.name, self.sessions = ports, name, []
        self.apis = [ServerAPI(port) for port in ports]

    def user(self, letter):
        return f"{self.name}-{letter}"

    def online(self, letter, node, **options):
        # Tokens are made on another node than the one that reads them.
        session = ChatSession(self.ports[node], self.apis[(node + 1) % 3].token(self.user(letter)), **options)
        self.sessions.append(session)
        session.connect()
        session.wait(lambda: session.caught_up, what="the end of the packages")
        return session

    def group(self, owner, *letters):
        owner.ask("group.create", group={"id": self.name, "name": "Group"}, users=[self.user(letter) for letter in letters])
        return self.name
