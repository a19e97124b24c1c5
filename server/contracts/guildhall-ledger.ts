// Made of GuildhallLedger.sol by `npm run contracts`, with solc 0.8.37+commit.f401782d.Emscripten.clang.
export const guildhallLedgerAbi = [
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "owner_",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "writer_",
        "type": "address"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [],
    "name": "EmptyBatch",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotOwner",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotWriter",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint64",
        "name": "head",
        "type": "uint64"
      },
      {
        "internalType": "uint64",
        "name": "expected",
        "type": "uint64"
      }
    ],
    "name": "OutOfOrder",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      },
      {
        "indexed": true,
        "internalType": "uint64",
        "name": "index",
        "type": "uint64"
      },
      {
        "indexed": false,
        "internalType": "bytes32",
        "name": "hash",
        "type": "bytes32"
      }
    ],
    "name": "Appended",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "OwnerChanged",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "first",
        "type": "uint64"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "last",
        "type": "uint64"
      }
    ],
    "name": "Skipped",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "writer",
        "type": "address"
      }
    ],
    "name": "WriterChanged",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "acceptOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      },
      {
        "internalType": "uint64",
        "name": "follows",
        "type": "uint64"
      },
      {
        "internalType": "uint64",
        "name": "first",
        "type": "uint64"
      },
      {
        "internalType": "bytes32[]",
        "name": "hashes",
        "type": "bytes32[]"
      },
      {
        "components": [
          {
            "internalType": "uint64",
            "name": "index",
            "type": "uint64"
          },
          {
            "internalType": "uint8",
            "name": "kind",
            "type": "uint8"
          },
          {
            "internalType": "bytes32",
            "name": "name",
            "type": "bytes32"
          },
          {
            "internalType": "bytes32",
            "name": "account",
            "type": "bytes32"
          }
        ],
        "internalType": "struct GuildhallLedger.NewPlayer[]",
        "name": "newPlayers",
        "type": "tuple[]"
      },
      {
        "components": [
          {
            "internalType": "uint64",
            "name": "index",
            "type": "uint64"
          },
          {
            "internalType": "int64",
            "name": "score",
            "type": "int64"
          }
        ],
        "internalType": "struct GuildhallLedger.NewScore[]",
        "name": "newScores",
        "type": "tuple[]"
      }
    ],
    "name": "append",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      }
    ],
    "name": "heads",
    "outputs": [
      {
        "internalType": "uint64",
        "name": "index",
        "type": "uint64"
      },
      {
        "internalType": "bytes32",
        "name": "hash",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "nextOwner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "nextOwner_",
        "type": "address"
      }
    ],
    "name": "offerOwnership",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "owner",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      },
      {
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
      }
    ],
    "name": "playerOfAccount",
    "outputs": [
      {
        "internalType": "uint64",
        "name": "",
        "type": "uint64"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      },
      {
        "internalType": "bytes32",
        "name": "name",
        "type": "bytes32"
      }
    ],
    "name": "playerOfName",
    "outputs": [
      {
        "internalType": "uint64",
        "name": "",
        "type": "uint64"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes16",
        "name": "tenant",
        "type": "bytes16"
      },
      {
        "internalType": "uint64",
        "name": "index",
        "type": "uint64"
      }
    ],
    "name": "players",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "name",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
      },
      {
        "internalType": "int64",
        "name": "score",
        "type": "int64"
      },
      {
        "internalType": "uint64",
        "name": "entry",
        "type": "uint64"
      },
      {
        "internalType": "uint8",
        "name": "kind",
        "type": "uint8"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "writer_",
        "type": "address"
      }
    ],
    "name": "setWriter",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "writer",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  }
] as const;
export const guildhallLedgerBytecode =
  '0x608060405234801561001057600080fd5b506040516110aa3803806110aa83398101604081905261002f916100dc565b600080546001600160a01b03199081166001600160a01b038581169182178455600280549093169085161790915560405190917fa2ea9883a321a3e97b8266c2b078bfeec6d50c711ed71f874a90d500ae2eaf3691a26040516001600160a01b038216907fdf2afb002d33710875c19190ab5bdd8858cfc21b74586247f995ed4858f33b3d90600090a2505061010f565b80516001600160a01b03811681146100d757600080fd5b919050565b600080604083850312156100ef57600080fd5b6100f8836100c0565b9150610106602084016100c0565b90509250929050565b610f8c8061011e6000396000f3fe608060405234801561001057600080fd5b50600436106100c95760003560e01c80638abe804d116100815780639ddc88651161005b5780639ddc8865146101e9578063b04c0dc114610294578063e543fd5f146102c957600080fd5b80638abe804d146101a35780638da5cb5b146101b65780638e3e92f2146101d657600080fd5b8063453a2abc116100b2578063453a2abc1461013657806369f3331d1461017b57806379ba50971461019b57600080fd5b8063350c5aa4146100ce57806339e2052314610121575b600080fd5b6101036100dc366004610c07565b600660209081526000928352604080842090915290825290205467ffffffffffffffff1681565b60405167ffffffffffffffff90911681526020015b60405180910390f35b61013461012f366004610c31565b61031d565b005b6002546101569073ffffffffffffffffffffffffffffffffffffffff1681565b60405173ffffffffffffffffffffffffffffffffffffffff9091168152602001610118565b6001546101569073ffffffffffffffffffffffffffffffffffffffff1681565b6101346103dd565b6101346101b1366004610d17565b6104a4565b6000546101569073ffffffffffffffffffffffffffffffffffffffff1681565b6101346101e4366004610c31565b610b3a565b6102576101f7366004610e26565b6004602090815260009283526040808420909152908252902080546001820154600290920154909190600781900b9068010000000000000000810467ffffffffffffffff1690700100000000000000000000000000000000900460ff1685565b60408051958652602086019490945260079290920b9284019290925267ffffffffffffffff909116606083015260ff16608082015260a001610118565b6101036102a2366004610c07565b600560209081526000928352604080842090915290825290205467ffffffffffffffff1681565b6102fd6102d7366004610e59565b6003602052600090815260409020805460019091015467ffffffffffffffff9091169082565b6040805167ffffffffffffffff9093168352602083019190915201610118565b60005473ffffffffffffffffffffffffffffffffffffffff16331461036e576040517f30cd747100000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b600280547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff83169081179091556040517fdf2afb002d33710875c19190ab5bdd8858cfc21b74586247f995ed4858f33b3d90600090a250565b60015473ffffffffffffffffffffffffffffffffffffffff16331461042e576040517f30cd747100000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b600180546000805473ffffffffffffffffffffffffffffffffffffffff83167fffffffffffffffffffffffff000000000000000000000000000000000000000091821681178355921690925560405190917fa2ea9883a321a3e97b8266c2b078bfeec6d50c711ed71f874a90d500ae2eaf3691a2565b60025473ffffffffffffffffffffffffffffffffffffffff1633146104f5576040517f751a1cd000000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6000859003610530576040517fc2e5347d00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b7fffffffffffffffffffffffffffffffff0000000000000000000000000000000089166000908152600360205260409020805467ffffffffffffffff8a8116911614158061059257508867ffffffffffffffff168867ffffffffffffffff1611155b156105e45780546040517fcd2c066e00000000000000000000000000000000000000000000000000000000815267ffffffffffffffff9182166004820152908a16602482015260440160405180910390fd5b6105ef896001610ea3565b67ffffffffffffffff168867ffffffffffffffff161115610689577fffffffffffffffffffffffffffffffff000000000000000000000000000000008a167f6e909a06506bb1542652547b61ef3594f8ebb88acb04a78a41ea7665cb6179f76106598b6001610ea3565b61066460018c610ec9565b6040805167ffffffffffffffff93841681529290911660208301520160405180910390a25b60005b868110156107245761069e818a610ea3565b67ffffffffffffffff167fffffffffffffffffffffffffffffffff000000000000000000000000000000008c167f24ff94b97e3c2d90b642212a9e2dacbecb5c07d343c698a3999cc8c86c045cfb8a8a858181106106fe576106fe610ee9565b9050602002013560405161071491815260200190565b60405180910390a360010161068c565b5060006001610733888b610ea3565b61073d9190610ec9565b82547fffffffffffffffffffffffffffffffffffffffffffffffff00000000000000001667ffffffffffffffff82161783559050878761077e600182610f18565b81811061078d5761078d610ee9565b602002919091013560018401555060005b85811015610a2257368787838181106107b9576107b9610ee9565b90506080020190506040518060a001604052808260400135815260200182606001358152602001600060070b81526020018467ffffffffffffffff16815260200182602001602081019061080d9190610f2b565b60ff1690527fffffffffffffffffffffffffffffffff000000000000000000000000000000008e1660009081526004602090815260408220919061085390850185610f4e565b67ffffffffffffffff9081168252602080830193909352604091820160002084518155848401516001820155918401516002909201805460608601516080909601519383167fffffffffffffffffffffffffffffffff0000000000000000000000000000000090911617680100000000000000009590921694909402177fffffffffffffffffffffffffffffff00ffffffffffffffffffffffffffffffff1670010000000000000000000000000000000060ff909216919091021790915561091d90820182610f4e565b7fffffffffffffffffffffffffffffffff000000000000000000000000000000008e166000908152600560209081526040808320858201358452825290912080547fffffffffffffffffffffffffffffffffffffffffffffffff00000000000000001667ffffffffffffffff93909316929092179091556109a090820182610f4e565b7fffffffffffffffffffffffffffffffff000000000000000000000000000000008e1660009081526006602090815260408083206060959095013583529390529190912080547fffffffffffffffffffffffffffffffffffffffffffffffff00000000000000001667ffffffffffffffff90921691909117905560010161079e565b5060005b83811015610b2c577fffffffffffffffffffffffffffffffff000000000000000000000000000000008c16600090815260046020526040812081878785818110610a7257610a72610ee9565b610a889260206040909202019081019150610f4e565b67ffffffffffffffff1667ffffffffffffffff1681526020019081526020016000209050858583818110610abe57610abe610ee9565b9050604002016020016020810190610ad69190610f69565b6002909101805467ffffffffffffffff85811668010000000000000000027fffffffffffffffffffffffffffffffff00000000000000000000000000000000909216931692909217919091179055600101610a26565b505050505050505050505050565b60005473ffffffffffffffffffffffffffffffffffffffff163314610b8b576040517f30cd747100000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b600180547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff92909216919091179055565b80357fffffffffffffffffffffffffffffffff0000000000000000000000000000000081168114610c0257600080fd5b919050565b60008060408385031215610c1a57600080fd5b610c2383610bd2565b946020939093013593505050565b600060208284031215610c4357600080fd5b813573ffffffffffffffffffffffffffffffffffffffff81168114610c6757600080fd5b9392505050565b803567ffffffffffffffff81168114610c0257600080fd5b60008083601f840112610c9857600080fd5b50813567ffffffffffffffff811115610cb057600080fd5b6020830191508360208260071b8501011115610ccb57600080fd5b9250929050565b60008083601f840112610ce457600080fd5b50813567ffffffffffffffff811115610cfc57600080fd5b6020830191508360208260061b8501011115610ccb57600080fd5b600080600080600080600080600060c08a8c031215610d3557600080fd5b610d3e8a610bd2565b9850610d4c60208b01610c6e565b9750610d5a60408b01610c6e565b965060608a013567ffffffffffffffff811115610d7657600080fd5b8a01601f81018c13610d8757600080fd5b803567ffffffffffffffff811115610d9e57600080fd5b8c60208260051b8401011115610db357600080fd5b6020919091019650945060808a013567ffffffffffffffff811115610dd757600080fd5b610de38c828d01610c86565b90955093505060a08a013567ffffffffffffffff811115610e0357600080fd5b610e0f8c828d01610cd2565b915080935050809150509295985092959850929598565b60008060408385031215610e3957600080fd5b610e4283610bd2565b9150610e5060208401610c6e565b90509250929050565b600060208284031215610e6b57600080fd5b610c6782610bd2565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052601160045260246000fd5b67ffffffffffffffff8181168382160190811115610ec357610ec3610e74565b92915050565b67ffffffffffffffff8281168282160390811115610ec357610ec3610e74565b7f4e487b7100000000000000000000000000000000000000000000000000000000600052603260045260246000fd5b81810381811115610ec357610ec3610e74565b600060208284031215610f3d57600080fd5b813560ff81168114610c6757600080fd5b600060208284031215610f6057600080fd5b610c6782610c6e565b600060208284031215610f7b57600080fd5b81358060070b8114610c6757600080fd';
