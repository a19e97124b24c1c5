// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// The ledgers of a Guildhall deployment, one per tenant. They contain the data with which others can verify its database: the
/// hash of each entry, in order, and the current state of the players. Names and addresses are stored only as keyed hashes.
contract GuildhallLedger {
    /// A player that an entry adds.
    struct NewPlayer {
        uint64 index;
        uint8 kind;
        bytes32 name;    // keyed hash of the player's name
        bytes32 account; // keyed hash of the player's address
    }

    /// A score that an entry sets.
    struct NewScore {
        uint64 index;
        int64 score;
    }

    struct Player {
        bytes32 name; // 0: the player was added before this contract was used; only the score is known
        bytes32 account;
        int64 score;
        uint64 entry; // the last entry of the newest batch that changed the player; 0: no data
        uint8 kind;
    }

    /// The newest entry of a ledger.
    struct Head {
        uint64 index;
        bytes32 hash;
    }

    /// The account that may set the writer and offer the ownership. It has no other rights.
    address public owner;
    /// The account that the owner has offered the ownership to. It becomes the owner when it accepts.
    address public nextOwner;
    /// The only account that may append.
    address public writer;

    mapping(bytes16 tenant => Head) public heads;
    mapping(bytes16 tenant => mapping(uint64 index => Player)) public players;
    mapping(bytes16 tenant => mapping(bytes32 name => uint64)) public playerOfName;
    mapping(bytes16 tenant => mapping(bytes32 account => uint64)) public playerOfAccount;

    event Appended(bytes16 indexed tenant, uint64 indexed index, bytes32 hash);
    /// The entries from `first` to `last` are not in this contract, because they were recorded while it was not used.
    event Skipped(bytes16 indexed tenant, uint64 first, uint64 last);
    event WriterChanged(address indexed writer);
    event OwnerChanged(address indexed owner);

    error NotOwner();
    error NotWriter();
    /// The head of the ledger is not the one that the batch follows. The batch is a duplicate, or too early.
    error OutOfOrder(uint64 head, uint64 expected);
    error EmptyBatch();

    constructor(address owner_, address writer_) {
        owner = owner_;
        writer = writer_;
        emit OwnerChanged(owner_);
        emit WriterChanged(writer_);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    /// Appends entries to the ledger of a tenant. `follows` is the index of the newest entry in this contract (0: none). `first`
    /// is the index of the first new entry. It is `follows + 1`, unless entries were recorded elsewhere.
    function append(
        bytes16 tenant,
        uint64 follows,
        uint64 first,
        bytes32[] calldata hashes,
        NewPlayer[] calldata newPlayers,
        NewScore[] calldata newScores
    ) external {
        if (msg.sender != writer) revert NotWriter();
        if (hashes.length == 0) revert EmptyBatch();
        Head storage head = heads[tenant];
        if (head.index != follows || first <= follows) revert OutOfOrder(head.index, follows);
        if (first > follows + 1) emit Skipped(tenant, follows + 1, first - 1);

        for (uint256 i = 0; i < hashes.length; i++) emit Appended(tenant, first + uint64(i), hashes[i]);
        uint64 last = first + uint64(hashes.length) - 1;
        head.index = last;
        head.hash = hashes[hashes.length - 1];

        for (uint256 i = 0; i < newPlayers.length; i++) {
            NewPlayer calldata added = newPlayers[i];
            players[tenant][added.index] = Player(added.name, added.account, 0, last, added.kind);
            playerOfName[tenant][added.name] = added.index;
            playerOfAccount[tenant][added.account] = added.index;
        }
        for (uint256 i = 0; i < newScores.length; i++) {
            Player storage player = players[tenant][newScores[i].index];
            player.score = newScores[i].score;
            player.entry = last;
        }
    }

    function setWriter(address writer_) external onlyOwner {
        writer = writer_;
        emit WriterChanged(writer_);
    }

    /// Ownership moves in two steps, so that a wrong address cannot become the owner by mistake.
    function offerOwnership(address nextOwner_) external onlyOwner {
        nextOwner = nextOwner_;
    }

    function acceptOwnership() external {
        if (msg.sender != nextOwner) revert NotOwner();
        owner = nextOwner;
        delete nextOwner;
        emit OwnerChanged(owner);
    }
}
